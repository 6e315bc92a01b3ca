#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hardkuma {

/// Agreement of selected words with gold spans, over the examples with gold annotations. In a pair,
/// a word is selected if it takes part in a link.
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
  double selected_share() const;  ///< selected / words, over these examples only

  RationaleScores& operator+=(const RationaleScores& other);
};

/// How a classifier does on one class.
struct ClassScores {
  std::string label;
  int64_t support = 0;    ///< examples of this class
  int64_t predicted = 0;  ///< examples predicted as this class
  int64_t correct = 0;
  /// Share of the words shown in the texts predicted as this class; of pairs, of the cells.
  double selected = 0.0;

  double precision() const;  ///< correct / predicted
  double recall() const;     ///< correct / support
  double f1() const;
};

/// Predictions of similar confidence: how often they are right. Confidence is the probability of
/// the predicted class.
struct ConfidenceBin {
  int64_t examples = 0;
  int64_t correct = 0;
  double confidence = 0.0;  ///< mean
};

/// Results of a model on a labelled set.
struct Evaluation {
  int64_t examples = 0;
  bool pairs = false;  ///< examples are pairs of texts; the model selects cells, not words
  int64_t units = 0;   ///< words, or cells between the words of pairs
  bool regression = false;
  double task_loss = 0.0;   ///< mean NLL or scaled squared error; used to choose checkpoints
  double metric = 0.0;      ///< accuracy, or MSE in the labels' own units
  double metric_low = 0.0;  ///< bootstrap 95% interval; both equal `metric` if not computed
  double metric_high = 0.0;
  /// The classes of a finished classifier, in the order of its labels; empty for regression, and
  /// for epochs of a training.
  std::vector<ClassScores> by_class;
  std::vector<std::vector<int64_t>> confusion;  ///< [class][predicted class], numbers of examples
  /// Ten bins of confidence, of equal width from 0 to 1; like `by_class`.
  std::vector<ConfidenceBin> by_confidence;
  double auc = -1.0;  ///< area under the ROC curve; -1 unless there are two classes
  /// The MSE of each value by name, if several values are predicted.
  std::vector<std::pair<std::string, double>> by_value;
  double selected_micro = 0.0;   ///< selected units / units
  double selected_macro = 0.0;   ///< mean over texts of the selected share
  int64_t without_evidence = 0;  ///< texts of which nothing is selected
  /// For models with gates, means over texts. `expected`: the mean of P(z ≠ 0), which training
  /// constrains. `likeliest`: the share of gates with argmax not 0, before threshold and budget.
  bool gated = false;
  double expected = 0.0;
  double likeliest = 0.0;
  RationaleScores rationale;

  double macro_f1() const;  ///< mean F1 of the classes that occur or are predicted
  /// Expected calibration error: the mean difference between confidence and accuracy over the bins,
  /// weighted by their examples.
  double calibration_error() const;
  double majority() const;  ///< accuracy of always predicting the most frequent class
};

/// The evaluation of a split, with the split's name.
struct NamedEvaluation {
  std::string name;
  Evaluation evaluation;
};

}  // namespace hardkuma
