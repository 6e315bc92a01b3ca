#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hardkuma {

/// Agreement of selected tokens, of pairs those that take part in a link, with gold spans, over the
/// examples that have any.
struct RationaleScores {
  int64_t examples = 0;
  int64_t hits = 0;      ///< words selected and in a gold span
  int64_t selected = 0;  ///< words selected
  int64_t gold = 0;      ///< words in gold spans
  int64_t words = 0;

  double precision() const;  ///< hits / selected, as the paper defines it
  double recall() const;     ///< hits / gold
  double f1() const;
  double gold_share() const;      ///< gold / words
  double selected_share() const;  ///< selected / words, of these examples alone

  RationaleScores& operator+=(const RationaleScores& other);
};

/// What a model did on a labelled set.
struct Evaluation {
  int64_t examples = 0;
  bool pairs = false;  ///< of texts: what is selected are cells between their words
  int64_t units = 0;   ///< words, or cells
  bool regression = false;
  double task_loss = 0.0;   ///< what checkpoints are chosen by: mean NLL or scaled squared error
  double metric = 0.0;      ///< accuracy, or MSE in the labels' own units
  double metric_low = 0.0;  ///< bootstrap 95% interval; both the metric where there is none
  double metric_high = 0.0;
  /// The error of each value by name, where several are predicted.
  std::vector<std::pair<std::string, double>> by_value;
  double selected_micro = 0.0;  ///< selected units / units
  double selected_macro = 0.0;  ///< mean over texts of their share
  /// Of gates, means over texts: the share they expect of themselves, which training constrains,
  /// and the share of those that are likeliest not zero, before any threshold or budget.
  bool gated = false;
  double expected = 0.0;
  double likeliest = 0.0;
  RationaleScores rationale;
};

/// A measured set, under the name of its split.
struct NamedEvaluation {
  std::string name;
  Evaluation evaluation;
};

}  // namespace hardkuma
