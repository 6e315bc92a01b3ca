#include "hardkuma/model/predictor.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>

#include "hardkuma/common/error.h"
#include "hardkuma/data/vocabulary.h"
#include "hardkuma/nn/least_words.h"

namespace hardkuma {
namespace {

constexpr int64_t kBatchExamples = 64;
constexpr int64_t kBatchWords = 16384;
constexpr int64_t kDeviceBatchExamples = 1024;
constexpr int64_t kDeviceBatchWords = 1 << 17;

void unpack(const Batch& batch, const Predictions& predictions, const std::vector<int64_t>& indices,
            const TextModel& model, std::vector<ExamplePrediction>& out) {
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
    if (!std::all_of(to.scores.begin(), to.scores.end(),
                     [](float s) { return std::isfinite(s); })) {
      throw InputError(
          "the model's scores are not finite: its weights are damaged, or its training diverged; "
          "train it again, with a smaller --lr");
    }
    to.task_loss = loss[i];
    to.gated = model.gated();
    const std::vector<int64_t> units = batch.units_of(i);
    to.least = least_words(model.floor(), static_cast<int64_t>(units.size()));
    for (std::vector<float>* values : {&to.z, &to.p_zero, &to.p_one}) values->reserve(units.size());
    for (const int64_t unit : units) {
      to.z.push_back(z.data_ptr<float>()[unit]);
      to.p_zero.push_back(p0.data_ptr<float>()[unit]);
      to.p_one.push_back(p1.data_ptr<float>()[unit]);
    }
  }
}

// The distinct words of a batch, for the lookup in tables.
std::vector<int32_t> words_of(const std::vector<Example>& set,
                              const std::vector<int64_t>& indices) {
  std::vector<int32_t> out;
  for (const int64_t i : indices) {
    const Example& example = set[static_cast<size_t>(i)];
    out.insert(out.end(), example.words.begin(), example.words.end());
    out.insert(out.end(), example.second.words.begin(), example.second.words.end());
    if (example.is_pair) out.push_back(kNullWord);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::vector<ExamplePrediction> Predictor::predict(const std::vector<Example>& set,
                                                  Workers& workers) {
  if (model_.on_gpu()) return predict_on_gpu(set);
  std::vector<ExamplePrediction> out(set.size());
  const auto batches = prediction_batches(set, kBatchExamples, kBatchWords);
  for (size_t from = 0; from < batches.size();) {
    // Takes at least one batch, and more while their words' projections fit in memory.
    std::vector<int32_t> words;
    size_t to = from;
    for (; to < batches.size(); ++to) {
      if (to > from && static_cast<int64_t>(words.size()) > projections_.capacity()) break;
      std::vector<int32_t> both;
      const std::vector<int32_t> more = words_of(set, batches[to]);
      std::set_union(words.begin(), words.end(), more.begin(), more.end(),
                     std::back_inserter(both));
      words = std::move(both);
    }
    with_projections(words, workers, [&](const Projections& projections) {
      std::atomic<size_t> next{from};
      workers.run([&](int64_t) {
        for (size_t i = next++; i < to; i = next++) {
          const Batch batch = pack(set, batches[i]);
          unpack(batch, model_.predict(batch, projections), batches[i], model_, out);
        }
      });
    });
    from = to;
  }
  return out;
}

// Another thread may evict our words from the cache before we read them. After three tries we use a
// cache of our own.
void Predictor::with_projections(const std::vector<int32_t>& words, Workers& workers,
                                 const std::function<void(const Projections&)>& use) {
  const bool fits = static_cast<int64_t>(words.size()) <= projections_.capacity();
  const int tries = fits ? 3 : 0;
  for (int i = 0; i < tries; ++i) {
    {
      const std::shared_lock reading(mutex_);
      if (projections_.covers(words)) return use(projections_);
    }
    const std::unique_lock writing(mutex_);
    projections_.cover(words, &workers);
  }
  Projections own(model_);
  own.cover(words, &workers);
  use(own);
}

std::vector<ExamplePrediction> Predictor::predict_on_gpu(const std::vector<Example>& set) {
  const std::unique_lock alone(mutex_);
  std::vector<ExamplePrediction> out(set.size());
  // Unpacks a batch's results while the GPU computes the next batch.
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
             indices, model_, out);
    };
  }
  last();
  return out;
}

std::vector<ExamplePrediction> predict_all(TextModel& model, const std::vector<Example>& set,
                                           Workers& workers) {
  return Predictor(model).predict(set, workers);
}

}  // namespace hardkuma
