#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/data/batch.h"
#include "hardkuma/dist/support.h"

namespace hardkuma {

/// How units (words, or cells of pairs) are selected at prediction.
struct Choice {
  Decision decision = Decision::Binary;  ///< of each gate separately
  /// Above 0: selects the units with P(z ≠ 0) of at least this, instead of by `decision`.
  double threshold = 0.0;
  /// Above 0: selects this share of each text instead, the units with the highest P(z ≠ 0).
  double budget = 0.0;
  int64_t spans = 0;  ///< with a budget: the most runs of selected units; 0: any number
};

/// The selection: `z` [U] as decided, or 0 and 1 if the choice has a threshold or a budget.
/// `p_zero` [U] is P(z = 0), or any score that is lower for units to select first.
at::Tensor chosen(const Choice& choice, const at::Tensor& z, const at::Tensor& p_zero,
                  const Batch& batch);

}  // namespace hardkuma
