#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/dist/gate_distribution.h"

namespace hardkuma {

/// Kumaraswamy(a, b) on (0, 1), equations 5 and 6 of the paper: cdf 1 - (1 - k^a)^b. Written in
/// logarithms throughout, so that float32 holds for a and b in [1e-6, 1e3].
class Kuma {
 public:
  Kuma(at::Tensor a, at::Tensor b) : a_(std::move(a)), b_(std::move(b)) {}

  const at::Tensor& a() const { return a_; }
  const at::Tensor& b() const { return b_; }

  at::Tensor cdf(const at::Tensor& k) const;
  at::Tensor inverse_cdf(const at::Tensor& u) const;
  at::Tensor log_prob(const at::Tensor& k) const;  ///< for k in the open (0, 1)
  at::Tensor mean() const;                         ///< b B(1 + 1/a, b), computed in double

  /// log P(K > k) for one number k in (0, 1).
  at::Tensor log_survival(double k) const;
  /// log P(K ≤ k) for one number k in (0, 1), finite also where the probability underflows.
  at::Tensor log_cdf(double k) const;

 private:
  at::Tensor a_;
  at::Tensor b_;
};

/// Kumaraswamy stretched linearly to (l, r), not yet rectified (equation 7).
class StretchedKuma {
 public:
  StretchedKuma(at::Tensor a, at::Tensor b, Support support = {})
      : kuma_(std::move(a), std::move(b)), support_(support) {}

  at::Tensor cdf(const at::Tensor& t) const;
  at::Tensor inverse_cdf(const at::Tensor& u) const;
  at::Tensor log_prob(const at::Tensor& t) const;
  at::Tensor mean() const;

  const Kuma& kuma() const { return kuma_; }
  const Support& support() const { return support_; }

 private:
  Kuma kuma_;
  Support support_;
};

/// The rectified variable H = min(1, max(0, T)), equations 8 to 11.
class HardKuma final : public GateDistribution {
 public:
  HardKuma(at::Tensor a, at::Tensor b, Support support = {})
      : stretched_(std::move(a), std::move(b), support) {}

  at::Tensor p_zero() const override;
  at::Tensor p_nonzero() const override;
  at::Tensor p_one() const override;
  at::Tensor log_prob(const at::Tensor& z) const override;
  at::Tensor cdf(const at::Tensor& z) const override;
  at::Tensor inverse_cdf(const at::Tensor& u) const override;
  at::Tensor underlying_mean() const override { return stretched_.kuma().mean(); }

 private:
  StretchedKuma stretched_;
};

}  // namespace hardkuma
