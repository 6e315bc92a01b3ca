#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "hardkuma/common/random.h"

namespace hardkuma {

/// The indices of a batch's examples in their set; random numbers are keyed by them.
struct ExampleIds {
  ExampleIds() = default;
  ExampleIds(std::initializer_list<uint64_t> all_) : all(all_) {}

  std::vector<uint64_t> all;
  at::Tensor device;  ///< [B] int64 on a GPU; undefined: the batch is on the CPU
};

/// A layout's copy on a GPU, for its kernels.
struct DeviceSequences {
  at::Tensor offsets;  ///< [longest] int32, as in Packed
  at::Tensor lengths;  ///< [B] int32
  at::Tensor starts;   ///< [B] int32, number of words in earlier sequences
};

/// How B sequences of different lengths lie in N = Σ length rows, time-major and without padding:
/// sequences are sorted longest first, and step t owns rows offsets[t] … offsets[t] + sizes[t] - 1,
/// one for each sequence longer than t.
///
///   Packed packed({5, 3, 3});
///   int64_t row = packed.row(/*step=*/2, /*sequence=*/1);
struct Packed {
  Packed() = default;
  explicit Packed(std::vector<int64_t> lengths);  ///< longest first, each at least 1

  /// Number of rows of tensors: the number of words, or `room` with padding.
  int64_t rows() const {
    return room > 0 ? room : offsets.empty() ? 0 : offsets.back() + sizes.back();
  }
  int64_t sequences() const { return static_cast<int64_t>(lengths.size()); }
  int64_t steps() const { return static_cast<int64_t>(sizes.size()); }
  int64_t row(int64_t step, int64_t sequence) const {
    return offsets[static_cast<size_t>(step)] + sequence;
  }

  /// A batch's device decides where computations on it run.
  bool on_gpu() const { return device != nullptr; }

  // Index tensors are on the CPU, for use there.

  /// The sequence of every row, [N] int64.
  at::Tensor sequence_of_row() const;
  /// The rows of each sequence's last step, [B] int64.
  at::Tensor last_rows() const;
  /// 1 / length of the row's sequence, [N].
  at::Tensor inverse_length(at::ScalarType dtype) const;
  /// The same layout for tensors on a GPU.
  Packed to(at::Device target) const;
  /// The layout as [longest + 2·B] int32; set_device() takes its copy on a GPU.
  std::vector<int32_t> device_layout() const;
  void set_device(const at::Tensor& layout);

  /// The means of values [N] over each sequence, [B].
  at::Tensor mean_by_sequence(const at::Tensor& values) const;
  /// For rows with a successor, the row and its successor: two [N - B] int64 tensors.
  std::pair<at::Tensor, at::Tensor> neighbours() const;

  std::vector<int64_t> lengths;
  std::vector<int64_t> sizes;
  std::vector<int64_t> offsets;
  std::shared_ptr<const DeviceSequences> device;  ///< null: on the CPU
  int64_t room = 0;  ///< on a GPU: number of rows including padding at the end; 0: no padding
};

/// The rows with z ≠ 0, ascending: [M] int64.
at::Tensor nonzero_rows(const at::Tensor& z);

/// A batch of only the words with z ≠ 0; sequences without such words are left out.
struct SelectedRows {
  Packed packed;
  at::Tensor rows;       ///< [M] int64: the row of each word in the original
  at::Tensor sequences;  ///< [B'] int64: the index of each sequence there
};
SelectedRows select_nonzero(const Packed& packed, const at::Tensor& z);

/// One uniform number in (0, 1) per row, keyed by (key, example, position): [N] in `dtype`.
at::Tensor row_uniforms(const Packed& packed, const ExampleIds& examples, const StepKey& key,
                        at::ScalarType dtype);

}  // namespace hardkuma
