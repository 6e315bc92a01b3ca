#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/dist/gate_distribution.h"

namespace hardkuma {

/// Hard Concrete (Louizos, Welling, Kingma 2018): a Binary Concrete variable
/// sigmoid((logit(u) + log_alpha) / temperature), stretched and rectified like HardKuma.
class HardConcrete final : public GateDistribution {
 public:
  explicit HardConcrete(at::Tensor log_alpha, double temperature = kConcreteTemperature,
                        Support support = {})
      : log_alpha_(std::move(log_alpha)), temperature_(temperature), support_(support) {}

  at::Tensor p_zero() const override;
  at::Tensor p_nonzero() const override;
  at::Tensor p_one() const override;
  at::Tensor log_prob(const at::Tensor& z) const override;
  at::Tensor cdf(const at::Tensor& z) const override;
  at::Tensor inverse_cdf(const at::Tensor& u) const override;
  at::Tensor underlying_mean() const override;  ///< by quadrature over the quantiles

 private:
  /// log-odds of P(S > s) for the Binary Concrete S at one number s.
  at::Tensor survival_logit(double s) const;
  at::Tensor concrete_quantile(const at::Tensor& u) const;

  at::Tensor log_alpha_;
  double temperature_;
  Support support_;
};

}  // namespace hardkuma
