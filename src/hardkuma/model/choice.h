#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/data/batch.h"
#include "hardkuma/dist/support.h"

namespace hardkuma {

/// What is selected at prediction, given the gates.
struct Choice {
  Decision decision = Decision::Binary;  ///< of each gate by itself
  /// More than 0: instead, whatever is not zero with at least this probability.
  double threshold = 0.0;
  /// More than 0: instead, this share of each text, the units likeliest not to be zero.
  double budget = 0.0;
  int64_t spans = 0;  ///< of a budget: in at most so many runs; 0: in any
};

/// z [U] with the decision's values, changed to 0 and 1 where the choice asks for it; `p_zero` [U]
/// are the gates' probabilities of zero, or any scores that say less of those to select first.
at::Tensor chosen(const Choice& choice, const at::Tensor& z, const at::Tensor& p_zero,
                  const Batch& batch);

}  // namespace hardkuma
