#include "hardkuma/nn/gate.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "hardkuma/nn/lstm.h"

namespace hardkuma {

LinearImpl::LinearImpl(const LinearOptions& options, RandomKey key) {
  const int64_t in = options.in_features;
  const int64_t out = options.out_features;
  weight = register_parameter("weight", xavier_uniform({out, in}, in, out, key));
  bias = register_parameter("bias", at::zeros({out}));
}

at::Tensor LinearImpl::forward(const at::Tensor& x) {
  return at::addmm(bias, x, weight.t());
}

GateImpl::GateImpl(const GateOptions& options, RandomKey key) : options_(options) {
  shapes_ = register_module("shapes", Linear(LinearOptions{options.in_features, 2}, key));
  const at::NoGradGuard no_grad;
  shapes_->bias[0] = options.bias_a;
  shapes_->bias[1] = options.bias_b;
}

at::Tensor GateImpl::raw_shapes(const at::Tensor& states) {
  return shapes_(states);
}

HardKuma GateImpl::distribution(const at::Tensor& raw_shapes) const {
  const at::Tensor shapes =
      at::clamp(at::softplus(raw_shapes), options_.min_shape, options_.max_shape);
  return HardKuma(shapes.select(1, 0), shapes.select(1, 1));
}

at::Tensor gate_rails(const at::Tensor& raw_shapes) {
  const auto outside = [](const at::Tensor& x, double low, double high) {
    const at::Tensor excess = at::relu(x - high) + at::relu(low - x);
    return excess * excess;
  };
  return outside(raw_shapes.select(1, 0), -3.0, 1.0) + outside(raw_shapes.select(1, 1), -4.0, 4.0);
}

}  // namespace hardkuma
