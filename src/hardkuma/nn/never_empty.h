#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// For texts whose z [N] are all zero, 1 at the word with the lowest P(z = 0) (of equal ones, the
/// first); 0 everywhere else. Undefined if no text is empty (on a GPU, always defined).
at::Tensor likeliest_of_empty(const at::Tensor& z, const at::Tensor& p_zero, const Packed& packed);

/// Noise [N] that draws the marked words from their distribution given z ≠ 0, and the others as u
/// does. Every gate is zero where u is at most P(z = 0).
at::Tensor nonzero_noise(const at::Tensor& u, const at::Tensor& p_zero, const at::Tensor& marked);

/// The probability that all gates of a text are zero, per word of the text: [B]. It is what the
/// rule of one word adds to the expected share.
at::Tensor empty_rate(const at::Tensor& p_zero, const Packed& packed);

}  // namespace hardkuma
