#include "hardkuma/model/ngram_svm.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hardkuma/common/error.h"
#include "hardkuma/model/safetensors.h"

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

}  // namespace

NgramSvm NgramSvm::with_features_of(const std::vector<Example>& set, int64_t longest,
                                    int64_t min_count, int64_t outputs) {
  std::map<std::vector<int32_t>, int64_t> texts;
  for (const Example& example : set) {
    std::set<std::vector<int32_t>> own;
    each_run(example, longest, [&](const std::vector<int32_t>& run) { own.insert(run); });
    for (const auto& run : own) ++texts[run];
  }
  NgramSvm out;
  out.longest_ = longest;
  for (const auto& [run, count] : texts) {
    if (count < min_count) continue;
    const auto number = static_cast<int32_t>(out.numbers_.size());
    out.numbers_.emplace(run, number);
  }
  out.weights = at::zeros({outputs, out.feature_count() + 1}, at::kDouble);
  return out;
}

NgramSvm::Features NgramSvm::features(const Example& example) const {
  std::vector<int32_t> found;
  each_run(example, longest_, [&](const std::vector<int32_t>& run) {
    const auto at = numbers_.find(run);
    if (at != numbers_.end()) found.push_back(at->second);
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
  const double* weight = weights.data_ptr<double>();
  const auto stride = static_cast<size_t>(weights.size(1));
  std::vector<double> out;
  for (size_t k = 0; k < static_cast<size_t>(weights.size(0)); ++k) {
    double sum = weight[(k + 1) * stride - 1];
    for (const auto& [number, value] : own) {
      sum += value * weight[k * stride + static_cast<size_t>(number)];
    }
    out.push_back(sum);
  }
  return out;
}

void NgramSvm::save(const std::filesystem::path& path) const {
  at::Tensor runs = at::zeros({feature_count(), longest_}, at::kLong);  // 0 after the last word
  for (const auto& [run, number] : numbers_) {
    std::copy(run.begin(), run.end(), runs.data_ptr<int64_t>() + number * longest_);
  }
  write_safetensors(path, {{{"svm.runs", runs}, {"svm.weights", weights.to(at::kFloat)}},
                           {{"format", "hardkuma-1"}}});
}

NgramSvm NgramSvm::load(const std::filesystem::path& path) {
  const TensorFile file = read_safetensors(path);
  const auto runs = file.tensors.find("svm.runs");
  const auto weights = file.tensors.find("svm.weights");
  const bool fits = runs != file.tensors.end() && weights != file.tensors.end() &&
                    runs->second.dim() == 2 && weights->second.dim() == 2 &&
                    runs->second.scalar_type() == at::kLong &&
                    weights->second.scalar_type() == at::kFloat &&
                    weights->second.size(1) == runs->second.size(0) + 1;
  if (!fits) throw InputError("{}: not a linear model over runs of words", path.string());
  NgramSvm out;
  out.longest_ = runs->second.size(1);
  out.weights = weights->second.to(at::kDouble).contiguous();
  const at::Tensor table = runs->second.contiguous();
  const auto* word = table.data_ptr<int64_t>();
  for (int64_t f = 0; f < table.size(0); ++f, word += out.longest_) {
    std::vector<int32_t> run;
    for (int64_t t = 0; t < out.longest_ && word[t] != 0; ++t) {
      run.push_back(static_cast<int32_t>(word[t]));
    }
    out.numbers_.emplace(std::move(run), static_cast<int32_t>(f));
  }
  return out;
}

}  // namespace hardkuma
