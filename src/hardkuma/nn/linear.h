#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "hardkuma/common/random.h"

namespace hardkuma {

struct LinearOptions {
  int64_t in_features = 0;
  int64_t out_features = 0;
};

/// y = x·Wᵀ + b, Xavier-initialised from a key so that a model depends only on its seed.
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(const LinearOptions& options, RandomKey key);
  at::Tensor forward(const at::Tensor& x) const;

  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out]
};
TORCH_MODULE(Linear);

/// Uniform in ±bound, element i from key.with(i).
at::Tensor uniform_tensor(at::IntArrayRef shape, double bound, RandomKey key);

/// Uniform in ±sqrt(6 / (fan_in + fan_out)), from the key.
at::Tensor xavier_uniform(at::IntArrayRef shape, int64_t fan_in, int64_t fan_out, RandomKey key);

}  // namespace hardkuma
