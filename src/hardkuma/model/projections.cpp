#include "hardkuma/model/projections.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "hardkuma/model/rationale_model.h"

namespace hardkuma {
namespace {

constexpr int64_t kBlock = 512;  // words a product

}  // namespace

Projections::Projections(const RationaleModelImpl& model, int64_t bytes)
    : model_(model),
      selector_(static_cast<size_t>(model.vocabulary()), nullptr),
      classifier_(selector_.size(), nullptr) {
  const RationaleModelOptions& options = model.options();
  const int64_t gates = options.cell == CellKind::Lstm ? LstmCell::kGates : RcnnCell::kGates;
  const int64_t width = (options.selects ? 2 : 1) * 2 * gates * options.hidden;
  capacity_ = std::max<int64_t>(1, bytes / (width * static_cast<int64_t>(sizeof(float))));
}

void Projections::cover(const std::vector<int32_t>& words, Workers* workers) {
  const auto missing_of = [&] {
    std::vector<int64_t> missing;
    for (const int32_t word : words) {
      if (classifier_[static_cast<size_t>(word)] == nullptr) missing.push_back(word);
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    return missing;
  };
  std::vector<int64_t> missing = missing_of();
  if (missing.empty()) return;
  if (covered_ > 0 && covered_ + static_cast<int64_t>(missing.size()) > capacity_) {
    std::fill(selector_.begin(), selector_.end(), nullptr);
    std::fill(classifier_.begin(), classifier_.end(), nullptr);
    blocks_.clear();
    covered_ = 0;
    missing = missing_of();
  }
  const auto count = static_cast<int64_t>(missing.size());
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  std::vector<std::pair<at::Tensor, at::Tensor>> made(static_cast<size_t>(blocks));
  const auto make = [&](int64_t block) {
    const int64_t from = block * kBlock;
    const int64_t size = std::min(kBlock, count - from);
    const at::Tensor ids = at::from_blob(missing.data() + from, {size}, at::kLong);
    const auto projected = model_.project(ids);
    for (int64_t i = 0; i < size; ++i) {
      const auto word = static_cast<size_t>(missing[static_cast<size_t>(from + i)]);
      const auto row = [i](const at::Tensor& t) { return t.data_ptr<float>() + i * t.size(1); };
      if (projected.first.defined()) selector_[word] = row(projected.first);
      classifier_[word] = row(projected.second);
    }
    made[static_cast<size_t>(block)] = projected;
  };
  if (workers == nullptr) {
    for (int64_t block = 0; block < blocks; ++block) make(block);
  } else {
    workers->run([&](int64_t w) {
      for (int64_t b = workers->cut(blocks, w); b < workers->cut(blocks, w + 1); ++b) make(b);
    });
  }
  for (const auto& [first, second] : made) {
    if (first.defined()) blocks_.push_back(first);
    blocks_.push_back(second);
  }
  covered_ += count;
}

}  // namespace hardkuma
