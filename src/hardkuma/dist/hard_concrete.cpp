#include "hardkuma/dist/hard_concrete.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "hardkuma/dist/stable.h"

namespace hardkuma {

at::Tensor HardConcrete::survival_logit(double s) const {
  return log_alpha_ - temperature_ * logit(s);
}

at::Tensor HardConcrete::p_zero() const {
  return at::sigmoid(-survival_logit(support_.zero()));
}

at::Tensor HardConcrete::p_nonzero() const {
  return at::sigmoid(survival_logit(support_.zero()));
}

at::Tensor HardConcrete::p_one() const {
  return at::sigmoid(survival_logit(support_.one()));
}

at::Tensor HardConcrete::log_prob(const at::Tensor& z) const {
  const at::Tensor inside = (z > 0).logical_and(z < 1);
  const at::Tensor s =
      (at::where(inside, z, at::full_like(z, 0.5)) - support_.l) / support_.width();
  // S is a squashed logistic: x = temperature * logit(s) - log_alpha is standard logistic.
  const at::Tensor x = temperature_ * (at::log(s) - at::log1p(-s)) - log_alpha_;
  const at::Tensor density = at::log_sigmoid(x) + at::log_sigmoid(-x) + std::log(temperature_) -
                             at::log(s) - at::log1p(-s) - std::log(support_.width());
  const at::Tensor log_zero = at::log_sigmoid(-survival_logit(support_.zero()));
  const at::Tensor log_one = at::log_sigmoid(survival_logit(support_.one()));
  return at::where(inside, density, at::where(z <= 0, log_zero, log_one));
}

at::Tensor HardConcrete::cdf(const at::Tensor& z) const {
  const at::Tensor s = (at::clamp(z, 0.0, 1.0) - support_.l) / support_.width();
  const at::Tensor value = at::sigmoid(temperature_ * (at::log(s) - at::log1p(-s)) - log_alpha_);
  const at::Tensor below = at::where(z < 0, at::zeros_like(value), value);
  return at::where(z >= 1, at::ones_like(value), below);
}

at::Tensor HardConcrete::concrete_quantile(const at::Tensor& u) const {
  return at::sigmoid((at::log(u) - at::log1p(-u) + log_alpha_) / temperature_);
}

at::Tensor HardConcrete::inverse_cdf(const at::Tensor& u) const {
  return at::clamp(support_.l + support_.width() * concrete_quantile(u), 0.0, 1.0);
}

at::Tensor HardConcrete::underlying_mean() const {
  const auto [nodes, weights] = gauss_legendre(64);
  at::Tensor total = at::zeros_like(log_alpha_);
  for (int64_t i = 0; i < nodes.size(0); ++i) {
    const at::Tensor u = at::full_like(log_alpha_, nodes[i].item<double>());
    total = total + concrete_quantile(u) * weights[i].item<double>();
  }
  return total;
}

}  // namespace hardkuma
