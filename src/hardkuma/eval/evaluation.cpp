#include "hardkuma/eval/evaluation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"
#include "hardkuma/common/random.h"

namespace hardkuma {
namespace {

constexpr int64_t kBatchExamples = 64;
constexpr int64_t kBatchWords = 16384;

void unpack(const Batch& batch, const Predictions& predictions, const std::vector<int64_t>& indices,
            std::vector<ExamplePrediction>& out) {
  const at::Tensor scores = predictions.scores.contiguous();
  const float* score = scores.data_ptr<float>();
  const float* loss = predictions.task_loss.data_ptr<float>();
  const at::Tensor z = predictions.z.contiguous();
  const at::Tensor p0 = predictions.p_zero.contiguous();
  const at::Tensor p1 = predictions.p_one.contiguous();
  const int64_t classes = scores.size(1);
  for (int64_t i = 0; i < batch.examples(); ++i) {
    const auto place = static_cast<size_t>(batch.order[static_cast<size_t>(i)]);
    ExamplePrediction& to = out[static_cast<size_t>(indices[place])];
    to.scores.assign(score + i * classes, score + (i + 1) * classes);
    to.task_loss = loss[i];
    const int64_t length = batch.packed.lengths[static_cast<size_t>(i)];
    for (int64_t t = 0; t < length; ++t) {
      const int64_t row = batch.packed.row(t, i);
      to.z.push_back(z.data_ptr<float>()[row]);
      to.p_zero.push_back(p0.data_ptr<float>()[row]);
      to.p_one.push_back(p1.data_ptr<float>()[row]);
    }
  }
}

}  // namespace

int64_t ExamplePrediction::best() const {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

int64_t ExamplePrediction::selected() const {
  return std::count_if(z.begin(), z.end(), [](float value) { return value > 0.0f; });
}

double ExamplePrediction::value(const TaskInfo& task) const {
  return task.low + (task.high - task.low) * static_cast<double>(scores.at(0));
}

std::vector<ExamplePrediction> predict_all(RationaleModelImpl& model,
                                           const std::vector<Example>& set, Workers& workers) {
  std::vector<ExamplePrediction> out(set.size());
  const auto batches = prediction_batches(set, kBatchExamples, kBatchWords);
  std::atomic<size_t> next{0};
  workers.run([&](int64_t) {
    for (size_t i = next++; i < batches.size(); i = next++) {
      const Batch batch = pack(set, batches[i]);
      unpack(batch, model.predict(batch), batches[i], out);
    }
  });
  return out;
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
