#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hardkuma/report/explanation.h"
#include "hardkuma/report/table.h"
#include "hardkuma/train/trainer.h"

namespace hardkuma {

/// Text made safe inside HTML.
std::string html_escape(std::string_view text);

/// A self-contained page of explained texts, in pieces so that it can be streamed: the opening, one
/// card per text, the close. No script, nothing fetched.
std::string page_open(const std::string& title, const std::string& subtitle);
std::string page_card(const Explanation& explanation);
std::string page_close();

/// The selected share over the epochs against its goal and the target, as SVG.
std::string rate_chart(const std::vector<EpochReport>& epochs, double target);

/// What `train` leaves in report.html: results, the rate's history, explained examples.
std::string training_report(const std::string& title, const std::vector<NamedEvaluation>& results,
                            const std::vector<EpochReport>& epochs, double target,
                            const std::vector<Explanation>& examples);

}  // namespace hardkuma
