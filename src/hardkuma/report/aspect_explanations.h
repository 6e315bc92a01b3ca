#pragma once

#include <string>
#include <vector>

#include "hardkuma/report/explanation.h"

namespace hardkuma {

/// One text explained by several models, one per aspect: their explanations in a fixed order, with
/// `aspect` set. Colours follow that order and repeat from the seventh on.
using AspectExplanations = std::vector<Explanation>;

/// One line of JSON: id, text, and under "aspects" the other fields of each model's own line.
std::string to_json_line(const AspectExplanations& explanations);

/// "look 0.8 · smell 0.4", in the aspects' colours if wanted.
std::string prediction_text(const AspectExplanations& explanations, bool colour);

/// The text with each aspect's words in its colour, underlined if several select them; or as
/// [look: words] and [look+smell: words].
std::string highlighted(const AspectExplanations& explanations, bool colour);

/// A card of an HTML page.
std::string page_card(const AspectExplanations& explanations);

}  // namespace hardkuma
