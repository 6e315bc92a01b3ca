#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/dist/support.h"

namespace hardkuma {

/// One random gate z in [0, 1] per element, with point masses at 0 and at 1. All members are
/// elementwise, differentiable in the parameters unless said otherwise, and finite wherever the
/// parameters are.
///
///   HardKuma gate(a, b);
///   at::Tensor z = gate.sample(u);        // u uniform in the open (0, 1)
///   at::Tensor cost = 1 - gate.p_zero();  // expected L0, per element
class GateDistribution {
 public:
  virtual ~GateDistribution() = default;

  virtual at::Tensor p_zero() const = 0;     ///< P(z = 0)
  virtual at::Tensor p_nonzero() const = 0;  ///< P(z ≠ 0), exact even if P(z = 0) rounds to 1
  virtual at::Tensor p_one() const = 0;      ///< P(z = 1)

  /// log P(z = 0) and log P(z = 1) at the ends, the log-density in between.
  virtual at::Tensor log_prob(const at::Tensor& z) const = 0;

  virtual at::Tensor cdf(const at::Tensor& z) const = 0;          ///< P(Z ≤ z)
  virtual at::Tensor inverse_cdf(const at::Tensor& u) const = 0;  ///< smallest z with cdf ≥ u

  /// E[z]; unless overridden, by 32-point Gauss–Legendre over the quantiles between the two masses.
  virtual at::Tensor mean() const;

  /// The mean of the variable before it is stretched and rectified; no gradient is promised.
  virtual at::Tensor underlying_mean() const = 0;

  /// A sample from u uniform in (0, 1); the gradient flows to the parameters where it exists.
  at::Tensor sample(const at::Tensor& u) const { return inverse_cdf(u); }

  /// P(0 < z < 1).
  at::Tensor p_between() const;

  /// The value used at prediction; constant, no gradient.
  at::Tensor decide(Decision decision) const;
};

}  // namespace hardkuma
