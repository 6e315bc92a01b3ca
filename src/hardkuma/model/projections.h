#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "hardkuma/common/workers.h"

namespace hardkuma {

class TextModel;
class WordTables;

/// What a model makes of each word wherever it stands, computed once however often it occurs: at
/// prediction more than half of all arithmetic. Good as long as the model's weights stand still.
class Projections {
 public:
  static constexpr size_t kAllTables = 2;

  /// The first `tables` of the model's; `bytes`: about how much memory to use.
  explicit Projections(const TextModel& model, size_t tables = kAllTables,
                       int64_t bytes = int64_t{1} << 28);

  /// For these words alone [N] int64.
  static Projections covering(const TextModel& model, const at::Tensor& words,
                              size_t tables = kAllTables);

  /// Computes what is missing of these words, split over the workers if given. Forgets the others
  /// when they do not all fit. Not to be called while others read.
  void cover(const std::vector<int32_t>& words, Workers* workers = nullptr);

  /// Does the model have tables? If not, nothing is ever covered, and nothing has to be.
  bool any() const { return !tables_.empty(); }

  /// Are all of these words covered?
  bool covers(const std::vector<int32_t>& words) const;

  /// For each of the words [N] int64, which must be covered, its row.
  std::vector<const float*> rows(size_t table, const at::Tensor& words) const;

  /// The same rows as one tensor [N, width].
  at::Tensor gathered(size_t table, const at::Tensor& words) const;

  /// How many words fit.
  int64_t capacity() const { return capacity_; }

 private:
  const WordTables* source_;     // null: there are no tables
  std::vector<int64_t> widths_;  // of the tables kept
  int64_t capacity_;
  std::vector<at::Tensor> blocks_;
  std::vector<bool> covered_;
  int64_t count_ = 0;
  std::vector<std::vector<const float*>> tables_;  // for each word its row, or null
};

}  // namespace hardkuma
