#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// Softmax of scores [N] over the words of each text: [N], adding up to 1 a text.
at::Tensor softmax_over_words(const at::Tensor& scores, const Packed& packed);

/// The sum over each text's words of weights [N] times states [N, F]: [B, F].
at::Tensor weighted_sum(const at::Tensor& weights, const at::Tensor& states, const Packed& packed);

/// 1 for the words with the highest scores [N], so many that they are `share` of the text to
/// rounding and at least one; 0 for the others. Of equal scores the earlier word goes first.
at::Tensor top_words(const at::Tensor& scores, const Packed& packed, double share);

}  // namespace hardkuma
