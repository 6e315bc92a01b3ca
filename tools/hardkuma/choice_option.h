#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "hardkuma/common/error.h"
#include "hardkuma/model/config.h"
#include "hardkuma/report/explainer.h"

namespace hardkuma {

/// Flags for a selection other than the one a model was trained and calibrated to.
struct ChoiceFlags {
  std::string budget;
  int64_t spans = 0;
  bool fractional = false;

  void add_to(CLI::App& command) {
    command.add_option("--budget", budget,
                       "select this share of every text (to a word, at least one): the words with "
                       "the highest P(z ≠ 0)");
    command.add_option("--spans", spans, "with --budget: in at most this many runs of words")
        ->check(CLI::Range(1, 20));
    command.add_flag("--fractional", fractional,
                     "z by the paper's rule: it may be fractional, and no threshold applies");
  }

  /// To be called before anything is read.
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
