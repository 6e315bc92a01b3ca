#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "hardkuma/common/random.h"
#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// A run of rows.
struct Rows {
  int64_t from = 0;
  int64_t count = 0;
};

/// The layout of B pairs of texts: their words in N rows, and the C cells between the words of each
/// pair. Cells are stored pair after pair, row-major, with a row for each word of the first text,
/// without padding.
struct Pairs {
  std::vector<Rows> first;
  std::vector<Rows> second;
  std::vector<int64_t> cells;  ///< index of each pair's first cell; the last entry is C
  at::Tensor device;  ///< [B, 5] int32 on a GPU: from and count of both texts, and the first cell

  int64_t count() const { return static_cast<int64_t>(first.size()); }
  /// Number of rows and cells of tensors. On a GPU they may include padding at the end.
  int64_t rows() const { return room_rows_ > 0 ? room_rows_ : rows_; }
  int64_t cell_count() const {
    return room_cells_ > 0 ? room_cells_ : cells.empty() ? 0 : cells.back();
  }
  void set_room(int64_t room_rows, int64_t room_cells) {
    room_rows_ = room_rows;
    room_cells_ = room_cells;
  }
  bool on_gpu() const { return device.defined(); }
  bool has_room() const { return room_rows_ > 0; }

  /// All first texts, then all second texts, with these numbers of words.
  static Pairs of_lengths(const std::vector<int64_t>& first, const std::vector<int64_t>& second);

  /// Each text of `pairs` with itself.
  static Pairs with_themselves(const Pairs& pairs);

  /// What `device` holds.
  std::vector<int32_t> device_layout() const;

  /// The pair of every cell, [C] int64 on the CPU.
  at::Tensor pair_of_cell() const;

  /// The mean of values [C] over each pair's cells, [B].
  at::Tensor mean_by_pair(const at::Tensor& values) const;

 private:
  void set_cells();
  int64_t rows_ = 0;
  int64_t room_rows_ = 0;
  int64_t room_cells_ = 0;
};

/// One uniform number in (0, 1) per cell, keyed by (key, example, index in the pair): [C].
at::Tensor cell_uniforms(const Pairs& pairs, const ExampleIds& examples, const StepKey& key,
                         at::ScalarType dtype);

/// A key per row, [N] int64, from (key, example, side, position).
at::Tensor pair_word_keys(const Pairs& pairs, const ExampleIds& examples, const StepKey& key);

/// One side of all pairs, packed for a recurrence.
struct SideBatch {
  Packed packed;
  at::Tensor rows;   ///< [N'] int64: the pairs' row of each packed row
  at::Tensor place;  ///< [B] int64: the packed sequence of each pair

  SideBatch to(at::Device target) const;
};
SideBatch pack_side(const std::vector<Rows>& side);

}  // namespace hardkuma
