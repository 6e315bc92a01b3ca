#include "hardkuma/model/projections.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "hardkuma/model/rationale_model.h"

namespace hardkuma {
namespace {

constexpr int64_t kBlock = 512;  // words a product

}  // namespace

Projections::Projections(const RationaleModelImpl& model, Of of, int64_t bytes)
    : model_(model),
      has_selector_(model.options().selects()),
      has_classifier_(of == Of::Both),
      covered_(static_cast<size_t>(model.vocabulary())),
      selector_(has_selector_ ? covered_.size() : 0),
      classifier_(has_classifier_ ? covered_.size() : 0) {
  const RationaleModelOptions& options = model.options();
  const int64_t gates = options.cell == CellKind::Lstm ? LstmCell::kGates : RcnnCell::kGates;
  const int64_t encoders = (has_selector_ ? 1 : 0) + (has_classifier_ ? 1 : 0);
  const int64_t width = encoders * 2 * gates * options.hidden;
  capacity_ = std::max<int64_t>(1, bytes / (width * static_cast<int64_t>(sizeof(float))));
}

void Projections::cover(const std::vector<int32_t>& words, Workers* workers) {
  const auto missing_of = [&] {
    std::vector<int64_t> missing;
    for (const int32_t word : words) {
      if (!covered_[static_cast<size_t>(word)]) missing.push_back(word);
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    return missing;
  };
  std::vector<int64_t> missing = missing_of();
  if (missing.empty()) return;
  if (count_ > 0 && count_ + static_cast<int64_t>(missing.size()) > capacity_) {
    std::fill(selector_.begin(), selector_.end(), nullptr);
    std::fill(classifier_.begin(), classifier_.end(), nullptr);
    covered_.assign(covered_.size(), false);
    blocks_.clear();
    count_ = 0;
    missing = missing_of();
  }
  const auto count = static_cast<int64_t>(missing.size());
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  std::vector<at::Tensor> made[2];  // the selector's and the classifier's
  for (auto& side : made) side.resize(static_cast<size_t>(blocks));
  const auto make = [&](int64_t block) {
    const int64_t from = block * kBlock;
    const at::Tensor ids =
        at::from_blob(missing.data() + from, {std::min(kBlock, count - from)}, at::kLong);
    const auto place = static_cast<size_t>(block);
    if (has_selector_) made[0][place] = model_.project(ids, /*selector=*/true);
    if (has_classifier_) made[1][place] = model_.project(ids, /*selector=*/false);
  };
  if (workers == nullptr) {
    for (int64_t block = 0; block < blocks; ++block) make(block);
  } else {
    workers->run([&](int64_t w) {
      for (int64_t b = workers->cut(blocks, w); b < workers->cut(blocks, w + 1); ++b) make(b);
    });
  }
  // Only now that nothing can fail any more.
  for (int side = 0; side < 2; ++side) {
    std::vector<const float*>& rows = side == 0 ? selector_ : classifier_;
    for (int64_t i = 0; i < count && !rows.empty(); ++i) {
      const at::Tensor& block = made[side][static_cast<size_t>(i / kBlock)];
      if (i % kBlock == 0) blocks_.push_back(block);
      rows[static_cast<size_t>(missing[static_cast<size_t>(i)])] =
          block.data_ptr<float>() + i % kBlock * block.size(1);
    }
  }
  for (const int64_t word : missing) covered_[static_cast<size_t>(word)] = true;
  count_ += count;
}

}  // namespace hardkuma
