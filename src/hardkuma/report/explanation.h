#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "hardkuma/data/example.h"
#include "hardkuma/data/labels.h"
#include "hardkuma/eval/evaluation.h"
#include "hardkuma/explanation.h"

namespace hardkuma {

/// `selects`: does the model select? If not, a pair has no links.
Explanation explain(const Example& example, const ExamplePrediction& prediction,
                    const TaskInfo& task, bool selects = true);

/// As JSON; offsets are in Unicode code points of the text as given.
nlohmann::ordered_json to_json(const Explanation& explanation);

/// "14% of the words", or that none was selected and the answer is the default one.
std::string shown_text(const Explanation& explanation);

/// Takes the answer back if its probability is below `least`.
void abstain_below(Explanation& explanation, double least);

/// The words that the model does not know, with spaces between.
std::string unknown_words(const ExplainedText& text);

/// prediction_text() without the aspect.
std::string value_text(const Explanation& explanation);

}  // namespace hardkuma
