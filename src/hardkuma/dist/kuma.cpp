#include "hardkuma/dist/kuma.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "hardkuma/dist/stable.h"

namespace hardkuma {

at::Tensor Kuma::log_survival(double k) const {
  return b_ * log1mexp(-std::log(k) * a_);
}

at::Tensor Kuma::log_cdf(double k) const {
  // log(1 - exp(-x)) with x = -log_survival, computed from log x, since x may underflow.
  const at::Tensor log_x = at::log(b_) + log_neg_log1mexp(-std::log(k) * a_);
  return log_x + log_expm1_ratio(at::exp(log_x));
}

at::Tensor Kuma::cdf(const at::Tensor& k) const {
  // Outside (0, 1) the value is a constant; a harmless k keeps the gradient of that branch finite.
  const at::Tensor inside = (k > 0).logical_and(k < 1);
  const at::Tensor safe = at::where(inside, k, at::full_like(k, 0.5));
  const at::Tensor value = -at::expm1(b_ * log1mexp(-a_ * at::log(safe)));
  return at::where(inside, value, (k >= 1).to(value.scalar_type()));
}

at::Tensor Kuma::inverse_cdf(const at::Tensor& u) const {
  const at::Tensor log_q = log1mexp(-at::log1p(-u) / b_);
  return at::exp(log_q / a_);
}

at::Tensor Kuma::log_prob(const at::Tensor& k) const {
  const at::Tensor log_k = at::log(k);
  return at::log(a_) + at::log(b_) + (a_ - 1) * log_k + (b_ - 1) * log1mexp(-a_ * log_k);
}

at::Tensor Kuma::mean() const {
  // In float32 the lgammas reach 1e7 and cancel to noise.
  const at::Tensor a = a_.to(at::kDouble);
  const at::Tensor b = b_.to(at::kDouble);
  const at::Tensor c = 1.0 + 1.0 / a;
  const at::Tensor log_mean = at::log(b) + at::lgamma(c) + at::lgamma(b) - at::lgamma(c + b);
  return at::exp(log_mean).to(a_.scalar_type());
}

at::Tensor StretchedKuma::cdf(const at::Tensor& t) const {
  return kuma_.cdf((t - support_.l) / support_.width());
}

at::Tensor StretchedKuma::inverse_cdf(const at::Tensor& u) const {
  return support_.l + support_.width() * kuma_.inverse_cdf(u);
}

at::Tensor StretchedKuma::log_prob(const at::Tensor& t) const {
  return kuma_.log_prob((t - support_.l) / support_.width()) - std::log(support_.width());
}

at::Tensor StretchedKuma::mean() const {
  return support_.l + support_.width() * kuma_.mean();
}

at::Tensor HardKuma::p_nonzero() const {
  return at::exp(stretched_.kuma().log_survival(stretched_.support().zero()));
}

at::Tensor HardKuma::p_zero() const {
  return -at::expm1(stretched_.kuma().log_survival(stretched_.support().zero()));
}

at::Tensor HardKuma::p_one() const {
  return at::exp(stretched_.kuma().log_survival(stretched_.support().one()));
}

at::Tensor HardKuma::log_prob(const at::Tensor& z) const {
  const at::Tensor inside = (z > 0).logical_and(z < 1);
  const at::Tensor density = stretched_.log_prob(at::where(inside, z, at::full_like(z, 0.5)));
  const at::Tensor log_zero = stretched_.kuma().log_cdf(stretched_.support().zero());
  const at::Tensor log_one = stretched_.kuma().log_survival(stretched_.support().one());
  return at::where(inside, density, at::where(z <= 0, log_zero, log_one));
}

at::Tensor HardKuma::cdf(const at::Tensor& z) const {
  const at::Tensor value = stretched_.cdf(at::clamp(z, 0.0, 1.0));
  const at::Tensor below = at::where(z < 0, at::zeros_like(value), value);
  return at::where(z >= 1, at::ones_like(value), below);
}

at::Tensor HardKuma::inverse_cdf(const at::Tensor& u) const {
  return at::clamp(stretched_.inverse_cdf(u), 0.0, 1.0);
}

}  // namespace hardkuma
