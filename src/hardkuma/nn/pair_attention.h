#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/nn/pairs.h"

namespace hardkuma {

/// Scores of all cells: for each of `heads` equal stretches of the features x [N, heads·H] the dot
/// product of the two words, [heads, C].
at::Tensor pair_scores(const at::Tensor& x, const Pairs& pairs, int64_t heads);

/// Weights of each cell [C] in its row, where z e^score sums to one over the second text's words,
/// and in its column, over the first text's. A word whose every z is 0 has weights 0. An undefined
/// z is 1 everywhere.
struct PairWeights {
  at::Tensor by_row;
  at::Tensor by_column;
};
PairWeights pair_softmax(const at::Tensor& scores, const at::Tensor& z, const Pairs& pairs);

/// For every word the weighted sum over the other text's rows of x [N, H]: for the first texts by
/// `by_row`, for the second ones by `by_column` (where undefined: zeros), added to `base` if given:
/// [N, H].
at::Tensor pair_mix(const PairWeights& weights, const at::Tensor& x, const Pairs& pairs,
                    const at::Tensor& base = {});

/// The sum of each text's rows of x [N, H]: first and second side by side, [B, 2H].
at::Tensor pair_sums(const at::Tensor& x, const Pairs& pairs);

}  // namespace hardkuma
