#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// Softmax of scores [N] over the words of each text: [N], summing to 1 per text.
at::Tensor softmax_over_words(const at::Tensor& scores, const Packed& packed);

/// The sum over each text's words of weights [N] times states [N, F]: [B, F].
at::Tensor weighted_sum(const at::Tensor& weights, const at::Tensor& states, const Packed& packed);

/// 1 for the words with the highest scores [N], 0 for the others. Selects `share` of each text,
/// rounded, and at least one word. Of equal scores, the earlier word wins.
at::Tensor top_words(const at::Tensor& scores, const Packed& packed, double share);

}  // namespace hardkuma
