#include "hardkuma/eval/predictor.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "hardkuma/data/vocabulary.h"

namespace hardkuma {
namespace {

constexpr int64_t kBatchExamples = 64;
constexpr int64_t kBatchWords = 16384;
constexpr int64_t kDeviceBatchExamples = 1024;
constexpr int64_t kDeviceBatchWords = 1 << 17;

void unpack(const Batch& batch, const Predictions& predictions, const std::vector<int64_t>& indices,
            bool gated, std::vector<ExamplePrediction>& out) {
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
    to.gated = gated;
    const std::vector<int64_t> units = batch.units_of(i);
    for (std::vector<float>* values : {&to.z, &to.p_zero, &to.p_one}) values->reserve(units.size());
    for (const int64_t unit : units) {
      to.z.push_back(z.data_ptr<float>()[unit]);
      to.p_zero.push_back(p0.data_ptr<float>()[unit]);
      to.p_one.push_back(p1.data_ptr<float>()[unit]);
    }
  }
}

// The loss of a prediction and the probabilities, from margins or from a value.
void set_scores(ExamplePrediction& prediction, const std::vector<double>& outputs,
                const Example& example, const TaskInfo& task) {
  if (task.regression) {
    for (size_t k = 0; k < outputs.size(); ++k) {
      const double value = std::clamp(outputs[k], 0.0, 1.0);
      const double error = value - example.value(k);
      prediction.scores.push_back(static_cast<float>(value));
      prediction.task_loss += error * error / static_cast<double>(outputs.size());
    }
    return;
  }
  const double most = *std::max_element(outputs.begin(), outputs.end());
  double sum = 0.0;
  for (const double output : outputs) sum += std::exp(output - most);
  for (const double output : outputs) {
    prediction.scores.push_back(static_cast<float>(std::exp(output - most) / sum));
  }
  prediction.task_loss = std::log(sum) + most - outputs[static_cast<size_t>(example.target)];
}

}  // namespace

int64_t ExamplePrediction::best() const {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

int64_t ExamplePrediction::selected() const {
  return std::count_if(z.begin(), z.end(), [](float value) { return value > 0.0f; });
}

double ExamplePrediction::expected() const {
  double out = 0.0;
  for (const float p : p_zero) out += 1.0 - static_cast<double>(p);
  return out;
}

int64_t ExamplePrediction::likeliest() const {
  int64_t out = 0;
  for (size_t i = 0; i < p_zero.size(); ++i) {
    // Of 0, 1 and what lies in between.
    if (p_zero[i] < std::max(p_one[i], 1.0f - p_zero[i] - p_one[i])) ++out;
  }
  return out;
}

double ExamplePrediction::value(const TaskInfo& task, size_t k) const {
  return task.low + (task.high - task.low) * static_cast<double>(scores.at(k));
}

std::vector<ExamplePrediction> Predictor::predict(const std::vector<Example>& set,
                                                  Workers& workers) {
  if (model_.on_gpu()) return predict_on_gpu(set);
  std::vector<ExamplePrediction> out(set.size());
  const auto batches = prediction_batches(set, kBatchExamples, kBatchWords);
  std::vector<bool> seen(static_cast<size_t>(model_.vocabulary()));
  for (size_t from = 0; from < batches.size();) {
    // As many batches as have their words' projections in memory together; at least one.
    std::vector<int32_t> words;
    size_t to = from;
    seen.assign(seen.size(), false);
    for (; to < batches.size(); ++to) {
      if (to > from && static_cast<int64_t>(words.size()) > projections_.capacity()) break;
      const auto add = [&](int32_t word) {
        if (!seen[static_cast<size_t>(word)]) words.push_back(word);
        seen[static_cast<size_t>(word)] = true;
      };
      for (const int64_t i : batches[to]) {
        const Example& example = set[static_cast<size_t>(i)];
        for (const int32_t word : example.words) add(word);
        for (const int32_t word : example.second.words) add(word);
        if (example.is_pair) add(kNullWord);
      }
    }
    projections_.cover(words, &workers);
    std::atomic<size_t> next{from};
    workers.run([&](int64_t) {
      for (size_t i = next++; i < to; i = next++) {
        const Batch batch = pack(set, batches[i]);
        unpack(batch, model_.predict(batch, projections_), batches[i], model_.gated(), out);
      }
    });
    from = to;
  }
  return out;
}

std::vector<ExamplePrediction> Predictor::predict_on_gpu(const std::vector<Example>& set) {
  std::vector<ExamplePrediction> out(set.size());
  // While a batch is computed, what came of the last is put in its place.
  std::function<void()> last = [] {};
  for (const std::vector<int64_t>& indices :
       prediction_batches(set, kDeviceBatchExamples, kDeviceBatchWords)) {
    Batch batch = pack(set, indices);
    const Predictions made = model_.predict(batch.to(model_.device()), projections_);
    last();
    last = [this, &out, made, indices, batch = std::move(batch)] {
      const auto here = [](const at::Tensor& t) { return t.to(at::kCPU); };
      unpack(batch,
             {here(made.scores), here(made.task_loss), here(made.z), here(made.p_zero),
              here(made.p_one)},
             indices, model_.gated(), out);
    };
  }
  last();
  return out;
}

std::vector<ExamplePrediction> predict_all(TextModel& model, const std::vector<Example>& set,
                                           Workers& workers) {
  return Predictor(model).predict(set, workers);
}

std::vector<ExamplePrediction> predict_all(const NgramSvm& svm, const std::vector<Example>& set,
                                           const TaskInfo& task) {
  std::vector<ExamplePrediction> out(set.size());
  for (size_t i = 0; i < set.size(); ++i) {
    set_scores(out[i], svm.outputs(set[i]), set[i], task);
    out[i].z.assign(set[i].words.size(), 1.0f);
    out[i].p_zero.assign(set[i].words.size(), 0.0f);
    out[i].p_one.assign(set[i].words.size(), 1.0f);
  }
  return out;
}

}  // namespace hardkuma
