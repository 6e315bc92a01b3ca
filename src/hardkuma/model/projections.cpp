#include "hardkuma/model/projections.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

#include "hardkuma/common/error.h"
#include "hardkuma/model/text_model.h"

namespace hardkuma {
namespace {

constexpr int64_t kBlock = 512;  // words per product

}  // namespace

Projections::Projections(const TextModel& model, size_t tables, int64_t bytes)
    : source_(model.word_tables()),
      widths_(source_ == nullptr ? std::vector<int64_t>() : source_->table_widths()),
      covered_(static_cast<size_t>(model.vocabulary())) {
  widths_.resize(std::min(widths_.size(), tables));
  tables_.assign(widths_.size(), std::vector<const float*>(covered_.size()));
  const int64_t width = std::accumulate(widths_.begin(), widths_.end(), int64_t{1});
  capacity_ = std::max<int64_t>(1, bytes / (width * static_cast<int64_t>(sizeof(float))));
}

Projections Projections::covering(const TextModel& model, const at::Tensor& words, size_t tables) {
  Projections out(model, tables);
  if (!out.any()) return out;
  const int64_t* word = words.data_ptr<int64_t>();
  out.cover({word, word + words.size(0)});
  return out;
}

bool Projections::covers(const std::vector<int32_t>& words) const {
  return !any() || std::all_of(words.begin(), words.end(),
                               [&](int32_t word) { return covered_[static_cast<size_t>(word)]; });
}

std::vector<const float*> Projections::rows(size_t table, const at::Tensor& words) const {
  std::vector<const float*> out(static_cast<size_t>(words.size(0)));
  const int64_t* word = words.data_ptr<int64_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = tables_[table][static_cast<size_t>(word[i])];
    if (out[i] == nullptr) throw InternalError("[predict] word {} has no projection", word[i]);
  }
  return out;
}

at::Tensor Projections::gathered(size_t table, const at::Tensor& words) const {
  at::Tensor out = at::empty({words.size(0), widths_[table]}, at::kFloat);
  float* to = out.data_ptr<float>();
  for (const float* row : rows(table, words)) to = std::copy(row, row + widths_[table], to);
  return out;
}

void Projections::cover(const std::vector<int32_t>& words, Workers* workers) {
  if (!any()) return;
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
    for (auto& table : tables_) std::fill(table.begin(), table.end(), nullptr);
    covered_.assign(covered_.size(), false);
    blocks_.clear();
    count_ = 0;
    missing = missing_of();
  }
  const auto count = static_cast<int64_t>(missing.size());
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  std::vector<std::vector<at::Tensor>> made(tables_.size());
  for (auto& table : made) table.resize(static_cast<size_t>(blocks));
  const auto make = [&](int64_t block) {
    const int64_t from = block * kBlock;
    const at::Tensor ids =
        at::from_blob(missing.data() + from, {std::min(kBlock, count - from)}, at::kLong);
    for (size_t t = 0; t < made.size(); ++t) {
      made[t][static_cast<size_t>(block)] = source_->table_rows(ids, t).contiguous();
    }
  };
  if (workers == nullptr) {
    for (int64_t block = 0; block < blocks; ++block) make(block);
  } else {
    workers->run([&](int64_t w) {
      for (int64_t b = workers->cut(blocks, w); b < workers->cut(blocks, w + 1); ++b) make(b);
    });
  }
  // Only now, since everything above may throw.
  for (size_t t = 0; t < made.size(); ++t) {
    for (int64_t i = 0; i < count; ++i) {
      const at::Tensor& block = made[t][static_cast<size_t>(i / kBlock)];
      if (i % kBlock == 0) blocks_.push_back(block);
      tables_[t][static_cast<size_t>(missing[static_cast<size_t>(i)])] =
          block.data_ptr<float>() + i % kBlock * block.size(1);
    }
  }
  for (const int64_t word : missing) covered_[static_cast<size_t>(word)] = true;
  count_ += count;
}

}  // namespace hardkuma
