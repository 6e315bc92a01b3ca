#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "hardkuma/common/random.h"

namespace hardkuma {

/// How B sequences of different lengths lie in N = Σ length rows, time-major and without padding:
/// sequences are sorted longest first, and step t owns rows offsets[t] … offsets[t] + sizes[t] - 1,
/// one for each sequence that is still alive.
///
///   Packed packed({5, 3, 3});
///   int64_t row = packed.row(/*step=*/2, /*sequence=*/1);
struct Packed {
  Packed() = default;
  explicit Packed(std::vector<int64_t> lengths);  ///< longest first, each at least 1

  int64_t rows() const { return offsets.empty() ? 0 : offsets.back() + sizes.back(); }
  int64_t sequences() const { return static_cast<int64_t>(lengths.size()); }
  int64_t steps() const { return static_cast<int64_t>(sizes.size()); }
  int64_t row(int64_t step, int64_t sequence) const {
    return offsets[static_cast<size_t>(step)] + sequence;
  }

  /// The sequence of every row, [N] int64.
  at::Tensor sequence_of_row() const;
  /// The rows of each sequence's last step, [B] int64.
  at::Tensor last_rows() const;
  /// 1 / length of the row's sequence, [N].
  at::Tensor inverse_length(at::ScalarType dtype) const;
  /// For rows with a successor, the row and its successor: two [N - B] int64 tensors.
  std::pair<at::Tensor, at::Tensor> neighbours() const;

  std::vector<int64_t> lengths;
  std::vector<int64_t> sizes;
  std::vector<int64_t> offsets;
};

/// One uniform number in (0, 1) per row, keyed by (key, example, position): [N] in `dtype`.
at::Tensor row_uniforms(const Packed& packed, const std::vector<uint64_t>& examples, RandomKey key,
                        at::ScalarType dtype);

/// An inverted-dropout mask [N, width] (values 0 or 1/(1-p)), keyed like row_uniforms.
at::Tensor row_dropout_mask(const Packed& packed, const std::vector<uint64_t>& examples,
                            int64_t width, double p, RandomKey key, at::ScalarType dtype);

/// An inverted-dropout mask [B, width], keyed by (key, example).
at::Tensor sequence_dropout_mask(const std::vector<uint64_t>& examples, int64_t width, double p,
                                 RandomKey key, at::ScalarType dtype);

}  // namespace hardkuma
