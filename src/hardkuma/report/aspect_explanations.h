#pragma once

#include <string>
#include <vector>

#include "hardkuma/report/explanation.h"

namespace hardkuma {

/// One text explained by several models, each for an aspect of its own: their explanations in a
/// fixed order, `aspect` filled. Colours go by that order; from the seventh on they come again.
using AspectExplanations = std::vector<Explanation>;

/// One line of JSON: id, text, and under "aspects" what each model's own line would say.
std::string to_json_line(const AspectExplanations& explanations);

/// "look 0.8 · smell 0.4", in the aspects' colours if wanted.
std::string prediction_text(const AspectExplanations& explanations, bool colour);

/// The text with each aspect's words in its colour, underlined where there are several; or as
/// [look: words] and [look+smell: words].
std::string highlighted(const AspectExplanations& explanations, bool colour);

/// A card of an HTML page.
std::string page_card(const AspectExplanations& explanations);

}  // namespace hardkuma
