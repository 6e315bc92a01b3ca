#include "hardkuma/eval/evaluation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"
#include "hardkuma/common/random.h"

namespace hardkuma {

Evaluation summarise(const std::vector<Example>& set,
                     const std::vector<ExamplePrediction>& predictions, const TaskInfo& task,
                     int64_t bootstrap) {
  if (set.empty() || set.size() != predictions.size()) {
    throw InternalError("[summarise] {} examples, {} predictions", set.size(), predictions.size());
  }
  Evaluation out;
  out.examples = static_cast<int64_t>(set.size());
  out.regression = task.regression;
  std::vector<double> values;
  int64_t words = 0;
  int64_t selected_words = 0;
  int64_t hits = 0;
  int64_t gold_words = 0;
  int64_t selected_with_gold = 0;
  int64_t words_with_gold = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    const Example& example = set[i];
    const ExamplePrediction& prediction = predictions[i];
    out.task_loss += prediction.task_loss;
    if (task.regression) {
      const double error = (prediction.scores.at(0) - example.target) * (task.high - task.low);
      values.push_back(error * error);
    } else {
      values.push_back(prediction.best() == static_cast<int64_t>(example.target) ? 1.0 : 0.0);
    }
    const auto length = static_cast<int64_t>(example.words.size());
    const int64_t selected = prediction.selected();
    words += length;
    selected_words += selected;
    out.selected_macro += static_cast<double>(selected) / static_cast<double>(length);
    if (!example.has_gold) continue;
    ++out.rationale.examples;
    words_with_gold += length;
    selected_with_gold += selected;
    for (size_t t = 0; t < example.gold.size(); ++t) {
      gold_words += example.gold[t];
      hits += example.gold[t] != 0 && prediction.z[t] > 0.0f ? 1 : 0;
    }
  }
  const auto count = static_cast<double>(set.size());
  const auto ratio = [](int64_t a, int64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
  };
  out.task_loss /= count;
  for (const double value : values) out.metric += value;
  out.metric /= count;
  out.selected_macro /= count;
  out.selected_micro = ratio(selected_words, words);
  RationaleScores& rationale = out.rationale;
  rationale.precision = ratio(hits, selected_with_gold);
  rationale.recall = ratio(hits, gold_words);
  const double sum = rationale.precision + rationale.recall;
  rationale.f1 = sum > 0 ? 2.0 * rationale.precision * rationale.recall / sum : 0.0;
  rationale.gold_share = ratio(gold_words, words_with_gold);
  out.metric_low = out.metric_high = out.metric;
  if (bootstrap > 0) {
    std::tie(out.metric_low, out.metric_high) = bootstrap_interval(values, bootstrap, 1);
  }
  return out;
}

std::string to_json(const Evaluation& e) {
  nlohmann::ordered_json out = {{"examples", e.examples},
                                {"loss", e.task_loss},
                                {e.regression ? "mse" : "accuracy", e.metric},
                                {"selected_micro", e.selected_micro},
                                {"selected_macro", e.selected_macro}};
  if (e.rationale.examples > 0) {
    out["rationale"] = {{"examples", e.rationale.examples},
                        {"precision", e.rationale.precision},
                        {"recall", e.rationale.recall},
                        {"f1", e.rationale.f1},
                        {"gold_share", e.rationale.gold_share}};
  }
  return out.dump();
}

std::pair<double, double> bootstrap_interval(const std::vector<double>& values, int64_t resamples,
                                             uint64_t seed) {
  const RandomKey key = RandomKey(seed).with(kBootstrapStream);
  std::vector<double> means;
  for (int64_t r = 0; r < resamples; ++r) {
    const RandomKey draw = key.with(static_cast<uint64_t>(r));
    double sum = 0.0;
    for (size_t i = 0; i < values.size(); ++i) sum += values[draw.bits(i) % values.size()];
    means.push_back(sum / static_cast<double>(values.size()));
  }
  std::sort(means.begin(), means.end());
  const auto at = [&](double q) {
    const double place = q * static_cast<double>(means.size() - 1);
    return means[static_cast<size_t>(std::lround(place))];
  };
  return {at(0.025), at(0.975)};
}

}  // namespace hardkuma
