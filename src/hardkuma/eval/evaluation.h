#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hardkuma/data/labels.h"
#include "hardkuma/eval/predictor.h"

namespace hardkuma {

/// For each word of a pair the largest z of its cells with words of the other text, NULL left out:
/// more than 0 for those that take part in a link.
struct LinkedWords {
  std::vector<float> first;
  std::vector<float> second;
};
LinkedWords linked_words(const Example& example, const ExamplePrediction& prediction);

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

RationaleScores rationale_scores(const Example& example, const ExamplePrediction& prediction);

/// 1 if it is right and else 0, or the squared error in the labels' units, the mean of several.
double example_metric(const Example& example, const ExamplePrediction& prediction,
                      const TaskInfo& task);

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

/// `bootstrap` resamples for the interval; 0 leaves it out.
Evaluation summarise(const std::vector<Example>& set,
                     const std::vector<ExamplePrediction>& predictions, const TaskInfo& task,
                     int64_t bootstrap = 0);

/// Several models' results as one: texts, words and hits add up. The metric is the mean over all of
/// their texts; its interval is left out.
Evaluation pooled(const std::vector<Evaluation>& parts);

/// The numbers as JSON text, without the interval: what an epoch's line and an evaluation share.
std::string to_json(const Evaluation& evaluation);

/// Back again; throws where the text is not such JSON.
Evaluation evaluation_from_json(const std::string& json);

/// Mean of resampled means at 2.5% and 97.5%.
std::pair<double, double> bootstrap_interval(const std::vector<double>& values, int64_t resamples,
                                             uint64_t seed);

}  // namespace hardkuma
