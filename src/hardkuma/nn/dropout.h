#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "hardkuma/common/random.h"
#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// Inverted dropout: every element becomes 0 with probability p, else is divided by 1 - p. Which
/// elements are dropped depends only on the keys of their rows and on their columns.
struct Dropout {
  double p = 0.0;
  at::Tensor keys;  ///< [M] int64, RandomKey::state() of each row; not needed where p is 0
  std::optional<uint64_t> place = {};  ///< further part of every key: the layer
};

/// A key per word, from (key, example, position): [M] int64 for the listed `rows` [M], or [N] for
/// all words if undefined.
at::Tensor word_keys(const Packed& packed, const ExampleIds& examples, const StepKey& key,
                     const at::Tensor& rows = {});

/// A key per text, [B] int64, from (key, example).
at::Tensor text_keys(const ExampleIds& examples, const StepKey& key);

/// x [M, D] with dropout.
at::Tensor drop(const at::Tensor& x, const Dropout& dropout);

/// drop(relu(x + bias)) for x [M, D] and bias [D], in one pass; without dropout no keys are needed.
at::Tensor rectify(const at::Tensor& x, const at::Tensor& bias, const Dropout& dropout = {});

/// drop(table[words]) for a table [V, D], in one pass and without a gradient.
at::Tensor embed(const at::Tensor& table, const at::Tensor& words, const Dropout& dropout = {});

}  // namespace hardkuma
