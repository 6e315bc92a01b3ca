#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "hardkuma/common/error.h"
#include "hardkuma/model/config.h"
#include "hardkuma/report/explainer.h"

namespace hardkuma {

/// What a user wants selected, instead of what the model was trained and calibrated to.
struct ChoiceFlags {
  std::string budget;
  int64_t spans = 0;
  bool fractional = false;

  void add_to(CLI::App& command) {
    command.add_option("--budget", budget,
                       "select this share of each text exactly (to a word, at least one): those "
                       "likeliest to be needed");
    command
        .add_option("--spans", spans, "with --budget: in at most so many runs of words, the best")
        ->check(CLI::Range(1, 20));
    command.add_flag("--fractional", fractional,
                     "the paper's z: between 0 and 1 where that is likeliest, no calibration");
  }

  /// Before anything is read.
  void check() const {
    if (spans > 0 && budget.empty()) throw UsageError("--spans goes with --budget");
    if (fractional && !budget.empty()) {
      throw UsageError("--budget selects words whole; drop it or --fractional");
    }
    if (budget.empty()) return;
    const double share = parse_rate(budget, "--budget");
    if (share >= 2.0 && share <= 100.0) {
      throw UsageError("--budget is a share: did you mean {}%?", budget);
    }
    if (!(share > 0.0 && share <= 1.0)) {
      throw UsageError("--budget must be above 0% and at most 100%");
    }
  }

  void apply(Explainer& explainer) const {
    if (budget.empty() && !fractional) return;
    Choice choice;
    if (fractional) choice.decision = Decision::Argmax;
    if (!budget.empty()) choice.budget = parse_rate(budget, "--budget");
    choice.spans = spans;
    explainer.set_choice(choice);
  }
};

}  // namespace hardkuma
