#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "hardkuma/data/example.h"
#include "hardkuma/nn/packed.h"
#include "hardkuma/nn/pairs.h"
#include "hardkuma/nn/upload.h"

namespace hardkuma {

/// Examples packed for a model: texts longest first, or pairs of texts in the given order, with the
/// NULL word in front of each text.
struct Batch {
  Packed packed;               // of texts
  Pairs pairs;                 // of pairs
  at::Tensor words;            // [N] int64
  at::Tensor targets;          // [B] float: class numbers or scaled values; [B, C] if several
  ExampleIds example_ids;      // [B]
  std::vector<int64_t> order;  // [B] each example's index in the list that was packed

  int64_t examples() const { return static_cast<int64_t>(example_ids.all.size()); }
  bool is_pairs() const { return pairs.count() > 0; }

  /// The same batch on a GPU, sent in one asynchronous copy.
  Batch to(at::Device target) const;

  /// Number of words, or of cells for pairs.
  int64_t units() const { return is_pairs() ? pairs.cell_count() : packed.rows(); }

  /// The indices of example i's units, in the example's own order.
  std::vector<int64_t> units_of(int64_t i) const;

  /// The mean of values [units] over each example's, [B].
  at::Tensor mean_by_example(const at::Tensor& values) const;
};

/// Sends a batch to a GPU; the batch must outlive this. `rows` and `cells` pad its tensors there to
/// these sizes, for work that was recorded with them.
class BatchUpload {
 public:
  explicit BatchUpload(const Batch& batch, int64_t rows = 0, int64_t cells = 0);
  BatchUpload(const BatchUpload&) = delete;
  BatchUpload& operator=(const BatchUpload&) = delete;

  Batch to(at::Device target) const;        ///< sends it
  Batch at(const at::Tensor& there) const;  ///< the batch, if `upload` is sent there

  Upload upload;  ///< more may be added

 private:
  const Batch& batch_;
  int64_t rows_;
  int64_t cells_;
  std::vector<int32_t> layout_;
  std::vector<int32_t> lengths_;
  std::vector<int32_t> starts_;
  size_t words_slice_;
  size_t ids_slice_;
  size_t targets_slice_;
  size_t layout_slice_;
  size_t lengths_slice_;
  size_t starts_slice_;
};

/// Packs `set[i]` for the i in `indices`: all texts, or all pairs. Every text must have at least
/// one word; a side of a pair may have none.
Batch pack(const std::vector<Example>& set, const std::vector<int64_t>& indices);

/// An epoch's batches in training order. A batch has examples of similar length (pairs: of both
/// texts), longest first. The shuffling depends only on the key.
std::vector<std::vector<int64_t>> training_batches(const std::vector<Example>& set, int64_t batch,
                                                   RandomKey key);

/// Cuts 0 … n-1 into runs of similar length for prediction, each of at most `max_examples` and
/// about `max_words`, longest first.
std::vector<std::vector<int64_t>> prediction_batches(const std::vector<Example>& set,
                                                     int64_t max_examples, int64_t max_words);

}  // namespace hardkuma
