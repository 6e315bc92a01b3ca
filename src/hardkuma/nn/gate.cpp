#include "hardkuma/nn/gate.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "hardkuma/nn/lstm.h"

namespace hardkuma {

LinearImpl::LinearImpl(const LinearOptions& options, RandomKey key) {
  const int64_t in = options.in_features;
  const int64_t out = options.out_features;
  weight = register_parameter("weight", xavier_uniform({out, in}, in, out, key));
  bias = register_parameter("bias", at::zeros({out}));
}

at::Tensor LinearImpl::forward(const at::Tensor& x) { return at::addmm(bias, x, weight.t()); }

GateImpl::GateImpl(const GateOptions& options, RandomKey key) : options_(options) {
  shapes_ = register_module("shapes", Linear(LinearOptions{options.in_features, 2}, key));
}

HardKuma GateImpl::forward(const at::Tensor& states) {
  const at::Tensor shapes =
      at::clamp(at::softplus(shapes_(states)), options_.min_shape, options_.max_shape);
  return HardKuma(shapes.select(1, 0), shapes.select(1, 1));
}

}  // namespace hardkuma
