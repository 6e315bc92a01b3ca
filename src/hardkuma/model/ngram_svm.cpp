#include "hardkuma/model/ngram_svm.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

// Calls `use` with every run of 1 … longest known words of a text.
template <typename Use>
void each_run(const Example& example, int64_t longest, const Use& use) {
  const auto& words = example.words;
  for (size_t from = 0; from < words.size(); ++from) {
    std::vector<int32_t> run;
    for (size_t t = from; t < words.size() && run.size() < static_cast<size_t>(longest); ++t) {
      if (words[t] == 0) break;
      run.push_back(words[t]);
      use(run);
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

NgramSvm NgramSvm::with_features_of(const std::vector<Example>& set, int64_t longest,
                                    int64_t min_count, const TaskInfo& task) {
  std::map<std::vector<int32_t>, int64_t> texts;
  for (const Example& example : set) {
    std::set<std::vector<int32_t>> own;
    each_run(example, longest, [&](const std::vector<int32_t>& run) { own.insert(run); });
    for (const auto& run : own) ++texts[run];
  }
  NgramSvm out;
  out.longest_ = longest;
  out.task_ = task;
  for (const auto& [run, count] : texts) {
    if (count < min_count) continue;
    const auto number = static_cast<int32_t>(out.indices_.size());
    out.indices_.emplace(run, number);
  }
  out.matrix = at::zeros({task.outputs(), out.feature_count() + 1}, at::kDouble);
  return out;
}

NgramSvm::Features NgramSvm::features(const Example& example) const {
  std::vector<int32_t> found;
  each_run(example, longest_, [&](const std::vector<int32_t>& run) {
    const auto at = indices_.find(run);
    if (at != indices_.end()) found.push_back(at->second);
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  const double value = found.empty() ? 0.0 : 1.0 / std::sqrt(static_cast<double>(found.size()));
  Features out;
  for (const int32_t number : found) out.emplace_back(number, value);
  return out;
}

std::vector<double> NgramSvm::outputs(const Example& example) const {
  const Features own = features(example);
  const double* weight = matrix.data_ptr<double>();
  const auto stride = static_cast<size_t>(matrix.size(1));
  std::vector<double> out;
  for (size_t k = 0; k < static_cast<size_t>(matrix.size(0)); ++k) {
    double sum = weight[(k + 1) * stride - 1];
    for (const auto& [number, value] : own) {
      sum += value * weight[k * stride + static_cast<size_t>(number)];
    }
    out.push_back(sum);
  }
  return out;
}

std::vector<ExamplePrediction> NgramSvm::predict(const std::vector<Example>& set, Workers&) {
  std::vector<ExamplePrediction> out(set.size());
  for (size_t i = 0; i < set.size(); ++i) {
    set_scores(out[i], outputs(set[i]), set[i], task_);
    out[i].z.assign(set[i].words.size(), 1.0f);
    out[i].p_zero.assign(set[i].words.size(), 0.0f);
    out[i].p_one.assign(set[i].words.size(), 1.0f);
  }
  return out;
}

std::map<std::string, at::Tensor> NgramSvm::weights() const {
  at::Tensor runs = at::zeros({feature_count(), longest_}, at::kLong);  // padded with 0
  for (const auto& [run, number] : indices_) {
    std::copy(run.begin(), run.end(), runs.data_ptr<int64_t>() + number * longest_);
  }
  return {{"svm.runs", runs}, {"svm.weights", matrix.to(at::kFloat)}};
}

NgramSvm NgramSvm::from_tensors(const std::map<std::string, at::Tensor>& tensors,
                                const TaskInfo& task, const std::string& path) {
  const auto runs = tensors.find("svm.runs");
  const auto weights = tensors.find("svm.weights");
  const bool fits = runs != tensors.end() && weights != tensors.end() && runs->second.dim() == 2 &&
                    weights->second.dim() == 2 && runs->second.scalar_type() == at::kLong &&
                    weights->second.scalar_type() == at::kFloat &&
                    weights->second.size(1) == runs->second.size(0) + 1;
  if (!fits) throw InputError("{}: not a linear model over runs of words", path);
  if (weights->second.size(0) != task.outputs()) {
    throw InputError("{}: not made for this task; the files do not belong together", path);
  }
  if (!at::isfinite(weights->second).all().item<bool>()) {
    throw InputError("{}: holds weights that are not finite; the file is damaged", path);
  }
  NgramSvm out;
  out.longest_ = runs->second.size(1);
  out.task_ = task;
  out.matrix = weights->second.to(at::kDouble).contiguous();
  const at::Tensor table = runs->second.contiguous();
  const auto* word = table.data_ptr<int64_t>();
  for (int64_t f = 0; f < table.size(0); ++f, word += out.longest_) {
    std::vector<int32_t> run;
    for (int64_t t = 0; t < out.longest_ && word[t] != 0; ++t) {
      run.push_back(static_cast<int32_t>(word[t]));
    }
    out.indices_.emplace(std::move(run), static_cast<int32_t>(f));
  }
  return out;
}

}  // namespace hardkuma
