#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "hardkuma/common/workers.h"

namespace hardkuma {

class TextModel;
class WordTables;

/// A cache of the computations that depend on a word but not on its context: more than half of the
/// arithmetic of prediction. Valid while the model's weights do not change.
class Projections {
 public:
  static constexpr size_t kAllTables = 2;

  /// Caches the first `tables` of the model's tables in about `bytes` of memory.
  explicit Projections(const TextModel& model, size_t tables = kAllTables,
                       int64_t bytes = int64_t{1} << 28);

  /// A cache of these words [N] int64 only.
  static Projections covering(const TextModel& model, const at::Tensor& words,
                              size_t tables = kAllTables);

  /// Computes the rows of these words that are missing, split over the workers if given. Empties
  /// the cache first if they do not fit. Must not run while other threads read.
  void cover(const std::vector<int32_t>& words, Workers* workers = nullptr);

  /// Does the model have tables? If not, the cache stays empty and covers() is always true.
  bool any() const { return !tables_.empty(); }

  /// Are all of these words covered?
  bool covers(const std::vector<int32_t>& words) const;

  /// The row of each of the words [N] int64, which must be covered.
  std::vector<const float*> rows(size_t table, const at::Tensor& words) const;

  /// The same rows as one tensor [N, width].
  at::Tensor gathered(size_t table, const at::Tensor& words) const;

  /// The number of words that fit.
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
