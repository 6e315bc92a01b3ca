#include "hardkuma/dist/gate_distribution.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

namespace hardkuma {

at::Tensor GateDistribution::p_between() const {
  return p_nonzero() - p_one();
}

at::Tensor GateDistribution::decide(Decision decision) const {
  const at::NoGradGuard no_grad;
  const at::Tensor p0 = p_zero();
  const at::Tensor p1 = p_one();
  const at::Tensor between = p_between();
  const at::Tensor is_between = (between >= p0).logical_and(between >= p1);
  const at::Tensor end = at::where(p0 > p1, at::zeros_like(p0), at::ones_like(p0));
  if (decision == Decision::Binary) return at::where(is_between, at::ones_like(p0), end);
  return at::where(is_between, underlying_mean(), end);
}

}  // namespace hardkuma
