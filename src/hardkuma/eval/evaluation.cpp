#include "hardkuma/eval/evaluation.h"

#include <algorithm>
#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/common/random.h"
#include "hardkuma/eval/class_scores.h"

namespace hardkuma {

namespace {

// Squared errors in the labels' own units, one for each value predicted.
std::vector<double> squared_errors(const Example& example, const ExamplePrediction& prediction,
                                   const TaskInfo& task) {
  std::vector<double> out;
  for (size_t k = 0; k < prediction.scores.size(); ++k) {
    const double error = (prediction.scores[k] - example.value(k)) * (task.high - task.low);
    out.push_back(error * error);
  }
  return out;
}

void count_word(RationaleScores& scores, bool selected, uint8_t gold) {
  scores.selected += selected ? 1 : 0;
  scores.gold += gold;
  scores.hits += selected && gold != 0 ? 1 : 0;
  ++scores.words;
}

}  // namespace

LinkedWords linked_words(const Example& example, const ExamplePrediction& prediction) {
  const size_t width = example.second.words.size() + 1;
  LinkedWords out{std::vector<float>(example.words.size()),
                  std::vector<float>(example.second.words.size())};
  for (size_t i = 0; i < out.first.size(); ++i) {
    for (size_t j = 0; j < out.second.size(); ++j) {
      const float z = prediction.z[(i + 1) * width + j + 1];
      out.first[i] = std::max(out.first[i], z);
      out.second[j] = std::max(out.second[j], z);
    }
  }
  return out;
}

RationaleScores rationale_scores(const Example& example, const ExamplePrediction& prediction) {
  RationaleScores out;
  out.examples = 1;
  if (!example.is_pair) {
    for (size_t t = 0; t < example.gold.size(); ++t) {
      count_word(out, prediction.z[t] > 0.0f, example.gold[t]);
    }
    return out;
  }
  const LinkedWords linked = linked_words(example, prediction);
  for (size_t t = 0; t < example.gold.size(); ++t) {
    count_word(out, linked.first[t] > 0.0f, example.gold[t]);
  }
  for (size_t t = 0; t < example.second.gold.size(); ++t) {
    count_word(out, linked.second[t] > 0.0f, example.second.gold[t]);
  }
  return out;
}

double RationaleScores::precision() const {
  return ratio(hits, selected);
}

double RationaleScores::recall() const {
  return ratio(hits, gold);
}

double RationaleScores::f1() const {
  return ratio(2 * hits, selected + gold);
}

double RationaleScores::gold_share() const {
  return ratio(gold, words);
}

double RationaleScores::selected_share() const {
  return ratio(selected, words);
}

RationaleScores& RationaleScores::operator+=(const RationaleScores& other) {
  examples += other.examples;
  hits += other.hits;
  selected += other.selected;
  gold += other.gold;
  words += other.words;
  return *this;
}

double ratio(int64_t a, int64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

double example_metric(const Example& example, const ExamplePrediction& prediction,
                      const TaskInfo& task) {
  if (!task.regression) {
    return prediction.best() == static_cast<int64_t>(example.target) ? 1.0 : 0.0;
  }
  const std::vector<double> errors = squared_errors(example, prediction, task);
  double sum = 0.0;
  for (const double error : errors) sum += error;
  return sum / static_cast<double>(errors.size());
}

Evaluation summarise(const std::vector<Example>& set,
                     const std::vector<ExamplePrediction>& predictions, const TaskInfo& task,
                     int64_t bootstrap) {
  if (set.empty() || set.size() != predictions.size()) {
    throw InternalError("[summarise] {} examples, {} predictions", set.size(), predictions.size());
  }
  Evaluation out;
  out.examples = static_cast<int64_t>(set.size());
  out.regression = task.regression;
  out.pairs = set[0].is_pair;
  if (task.regression && task.outputs() > 1) {
    for (const std::string& name : task.labels) out.by_value.emplace_back(name, 0.0);
  }
  const auto count = static_cast<double>(set.size());
  std::vector<double> values;
  int64_t selected_units = 0;
  for (size_t i = 0; i < set.size(); ++i) {
    const Example& example = set[i];
    const ExamplePrediction& prediction = predictions[i];
    out.task_loss += prediction.task_loss;
    values.push_back(example_metric(example, prediction, task));
    if (!out.by_value.empty()) {
      const std::vector<double> errors = squared_errors(example, prediction, task);
      for (size_t k = 0; k < out.by_value.size(); ++k) out.by_value[k].second += errors[k] / count;
    }
    const int64_t units = example.units();
    const int64_t selected = prediction.selected();
    out.units += units;
    selected_units += selected;
    if (selected == 0 && units > 0) ++out.without_evidence;
    out.selected_macro += ratio(selected, units);
    out.gated = out.gated || prediction.gated;
    out.expected += prediction.expected() / static_cast<double>(units);
    out.likeliest += ratio(prediction.likeliest(), units);
    if (example.has_gold) out.rationale += rationale_scores(example, prediction);
  }
  for (const double value : values) out.metric += value;
  for (double* mean :
       {&out.task_loss, &out.selected_macro, &out.metric, &out.expected, &out.likeliest}) {
    *mean /= count;
  }
  out.selected_micro = ratio(selected_units, out.units);
  out.metric_low = out.metric_high = out.metric;
  if (bootstrap > 0) {
    if (!task.regression) score_classes(set, predictions, task, out);
    std::tie(out.metric_low, out.metric_high) = bootstrap_interval(values, bootstrap, 1);
  }
  return out;
}

Evaluation pooled(const std::vector<Evaluation>& evaluations) {
  Evaluation out;
  out.gated = !evaluations.empty() && std::all_of(evaluations.begin(), evaluations.end(),
                                                  [](const Evaluation& one) { return one.gated; });
  for (const Evaluation& one : evaluations) {
    out.examples += one.examples;
    out.units += one.units;
  }
  for (const Evaluation& one : evaluations) {
    const double texts = ratio(one.examples, out.examples);
    out.regression = one.regression;
    out.pairs = one.pairs;
    out.task_loss += texts * one.task_loss;
    out.metric += texts * one.metric;
    out.selected_macro += texts * one.selected_macro;
    out.expected += texts * one.expected;
    out.likeliest += texts * one.likeliest;
    out.selected_micro += ratio(one.units, out.units) * one.selected_micro;
    out.without_evidence += one.without_evidence;
    out.rationale += one.rationale;
  }
  out.metric_low = out.metric_high = out.metric;
  return out;
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
