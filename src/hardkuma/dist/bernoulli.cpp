#include "hardkuma/dist/bernoulli.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

namespace hardkuma {

at::Tensor Bernoulli::p_zero() const {
  return at::sigmoid(-logit_);
}

at::Tensor Bernoulli::p_nonzero() const {
  return at::sigmoid(logit_);
}

at::Tensor Bernoulli::p_one() const {
  return at::sigmoid(logit_);
}

at::Tensor Bernoulli::log_prob(const at::Tensor& z) const {
  return at::where(z > 0, at::log_sigmoid(logit_), at::log_sigmoid(-logit_));
}

at::Tensor Bernoulli::cdf(const at::Tensor& z) const {
  const at::Tensor p0 = p_zero();
  const at::Tensor below = at::where(z < 0, at::zeros_like(p0), p0);
  return at::where(z >= 1, at::ones_like(p0), below);
}

at::Tensor Bernoulli::inverse_cdf(const at::Tensor& u) const {
  return (u > p_zero()).to(logit_.scalar_type());
}

}  // namespace hardkuma
