#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/nn/pairs.h"

namespace hardkuma {

/// Scores of all cells, [heads, C]: the dot products of the cell's two words, one for each of
/// `heads` equal slices of the features x [N, heads·H].
at::Tensor pair_scores(const at::Tensor& x, const Pairs& pairs, int64_t heads);

/// Weights of each cell [C]: z e^score normalised by row, over the second text's words, and by
/// column, over the first text's words. A word all of whose z are 0 has weights 0. An undefined z
/// means 1 everywhere.
struct PairWeights {
  at::Tensor by_row;
  at::Tensor by_column;
};
PairWeights pair_softmax(const at::Tensor& scores, const at::Tensor& z, const Pairs& pairs);

/// For every word, the weighted sum of the other text's rows of x [N, H], added to `base` if given:
/// [N, H]. First texts use `by_row`, second texts `by_column` (if undefined, the sums are 0).
at::Tensor pair_mix(const PairWeights& weights, const at::Tensor& x, const Pairs& pairs,
                    const at::Tensor& base = {});

/// The sum of each text's rows of x [N, H]: first and second side by side, [B, 2H].
at::Tensor pair_sums(const at::Tensor& x, const Pairs& pairs);

}  // namespace hardkuma
