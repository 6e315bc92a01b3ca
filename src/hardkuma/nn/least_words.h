#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// The fewest words that a text of so many keeps: `share` of them, rounded down, and at least one.
/// A share of 0 is no floor: 0 words.
int64_t least_words(double share, int64_t words);

/// 1 at the words that texts with fewer selected (z [N] ≠ 0) than least_words() lack: of those not
/// selected the ones with the lowest P(z = 0), of equal ones the first. 0 everywhere else;
/// undefined if no text lacks any.
at::Tensor lacking_words(const at::Tensor& z, const at::Tensor& p_zero, const Packed& packed,
                         double share);

/// Noise [N] that draws the marked words from their distribution given z ≠ 0, and the others as u
/// does. Every gate is zero where u is at most P(z = 0).
at::Tensor nonzero_noise(const at::Tensor& u, const at::Tensor& p_zero, const at::Tensor& marked);

/// How many words the floor adds on average to those of independent gates: E[max(0, least - n)].
double expected_lack(const std::vector<double>& p_zero, int64_t least);

/// expected_lack() of each text, as a share of its words: [B], without a gradient.
at::Tensor lacking_rate(const at::Tensor& p_zero, const Packed& packed, double share);

}  // namespace hardkuma
