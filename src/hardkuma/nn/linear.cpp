#include "hardkuma/nn/linear.h"

#include <ATen/Functions.h>

#include <cmath>

namespace hardkuma {

at::Tensor uniform_tensor(at::IntArrayRef shape, double bound, RandomKey key) {
  at::Tensor out = at::empty(shape, at::kFloat);
  auto* data = out.data_ptr<float>();
  for (int64_t i = 0; i < out.numel(); ++i) {
    const double u = key.with(static_cast<uint64_t>(i)).uniform_double();
    data[i] = static_cast<float>(bound * (2.0 * u - 1.0));
  }
  return out;
}

at::Tensor xavier_uniform(at::IntArrayRef shape, int64_t fan_in, int64_t fan_out, RandomKey key) {
  return uniform_tensor(shape, std::sqrt(6.0 / static_cast<double>(fan_in + fan_out)), key);
}

LinearImpl::LinearImpl(const LinearOptions& options, RandomKey key) {
  const int64_t in = options.in_features;
  const int64_t out = options.out_features;
  weight = register_parameter("weight", xavier_uniform({out, in}, in, out, key));
  bias = register_parameter("bias", at::zeros({out}));
}

at::Tensor LinearImpl::forward(const at::Tensor& x) const {
  return at::addmm(bias, x, weight.t());
}

}  // namespace hardkuma
