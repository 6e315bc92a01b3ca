#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "hardkuma/data/example.h"
#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// Examples packed for a model, longest first.
struct Batch {
  Packed packed;
  at::Tensor words;               // [N] int64
  at::Tensor targets;             // [B] float: class numbers or scaled values; [B, C] of several
  std::vector<uint64_t> numbers;  // [B] each example's number in its set: keys its randomness
  std::vector<int64_t> order;     // [B] where each example stood in the list that was packed

  int64_t examples() const { return packed.sequences(); }
};

/// Packs `set[i]` for the i in `indices`. Every example must have at least one word.
Batch pack(const std::vector<Example>& set, const std::vector<int64_t>& indices);

/// An epoch's batches in training order: texts of about one length together, longest first within
/// a batch, which and when by the key alone.
std::vector<std::vector<int64_t>> training_batches(const std::vector<Example>& set, int64_t batch,
                                                   RandomKey key);

/// Cuts 0 … n-1 into runs of similar length for prediction, each of at most `max_examples` and
/// about `max_words`, longest first.
std::vector<std::vector<int64_t>> prediction_batches(const std::vector<Example>& set,
                                                     int64_t max_examples, int64_t max_words);

}  // namespace hardkuma
