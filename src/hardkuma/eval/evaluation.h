#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hardkuma/data/example.h"
#include "hardkuma/data/labels.h"
#include "hardkuma/evaluation.h"
#include "hardkuma/model/prediction.h"

namespace hardkuma {

/// For each word of a pair the largest z of its cells with words of the other text, without NULL:
/// above 0 if the word is linked.
struct LinkedWords {
  std::vector<float> first;
  std::vector<float> second;
};
LinkedWords linked_words(const Example& example, const ExamplePrediction& prediction);

RationaleScores rationale_scores(const Example& example, const ExamplePrediction& prediction);

/// Classification: 1 if correct, else 0. Regression: mean squared error in the labels' units.
double example_metric(const Example& example, const ExamplePrediction& prediction,
                      const TaskInfo& task);

/// a / b; 0 if b is 0.
double ratio(int64_t a, int64_t b);

/// Resamples for the interval of a finished model's metric.
constexpr int64_t kBootstrap = 1000;

/// `bootstrap`: number of resamples for the interval; 0: as for an epoch of a training, without
/// interval and classes.
Evaluation summarise(const std::vector<Example>& set,
                     const std::vector<ExamplePrediction>& predictions, const TaskInfo& task,
                     int64_t bootstrap = 0);

/// Several models' results as one: texts, words and hits add up. The metric is the mean over all of
/// their texts; its interval is left out.
Evaluation pooled(const std::vector<Evaluation>& evaluations);

/// The 2.5% and 97.5% quantiles of the resampled means.
std::pair<double, double> bootstrap_interval(const std::vector<double>& values, int64_t resamples,
                                             uint64_t seed);

}  // namespace hardkuma
