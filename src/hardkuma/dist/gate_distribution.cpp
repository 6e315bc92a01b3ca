#include "hardkuma/dist/gate_distribution.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "hardkuma/dist/stable.h"

namespace hardkuma {

at::Tensor GateDistribution::p_between() const {
  return p_nonzero() - p_one();
}

at::Tensor GateDistribution::mean() const {
  const auto [nodes, weights] = gauss_legendre(32);
  const at::Tensor p0 = p_zero();
  const at::Tensor between = p_between();
  at::Tensor total = p_one();
  for (int64_t i = 0; i < nodes.size(0); ++i) {
    const at::Tensor u = p0 + between * nodes[i].item<double>();
    // If rounding puts u at 0 or 1, the mass of its node is negligible.
    const at::Tensor inside = (u > 0).logical_and(u < 1);
    const at::Tensor quantile = inverse_cdf(at::where(inside, u, at::full_like(u, 0.5)));
    total = total +
            at::where(inside, between * quantile, at::zeros_like(u)) * weights[i].item<double>();
  }
  return total;
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
