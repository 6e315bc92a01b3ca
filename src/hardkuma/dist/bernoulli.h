#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/dist/gate_distribution.h"

namespace hardkuma {

/// Bernoulli with P(z = 1) = sigmoid(logit): the gate of Lei et al. (2016). A sample carries no
/// gradient to the parameter; REINFORCE uses log_prob.
class Bernoulli final : public GateDistribution {
 public:
  explicit Bernoulli(at::Tensor logit) : logit_(std::move(logit)) {}

  at::Tensor p_zero() const override;
  at::Tensor p_nonzero() const override;
  at::Tensor p_one() const override;
  at::Tensor log_prob(const at::Tensor& z) const override;  ///< z must be 0 or 1
  at::Tensor cdf(const at::Tensor& z) const override;
  at::Tensor inverse_cdf(const at::Tensor& u) const override;
  at::Tensor mean() const override { return p_one(); }
  at::Tensor underlying_mean() const override { return p_one(); }

 private:
  at::Tensor logit_;
};

}  // namespace hardkuma
