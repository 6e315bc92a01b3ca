#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "hardkuma/common/random.h"
#include "hardkuma/dist/kuma.h"

namespace hardkuma {

struct LinearOptions {
  int64_t in_features = 0;
  int64_t out_features = 0;
};

/// y = x·Wᵀ + b, Xavier-initialised from a key so that a model depends on its seed alone.
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(const LinearOptions& options, RandomKey key);
  at::Tensor forward(const at::Tensor& x);

  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out]
};
TORCH_MODULE(Linear);

struct GateOptions {
  int64_t in_features = 0;
  double min_shape = 1e-6;  ///< a and b are clamped to [min_shape, max_shape]
  double max_shape = 100.0;
};

/// From a state per word [N, D] to a HardKuma per word: two linear maps to 1, softplus, clamp.
class GateImpl : public torch::nn::Module {
 public:
  GateImpl(const GateOptions& options, RandomKey key);
  HardKuma forward(const at::Tensor& states);

 private:
  GateOptions options_;
  Linear shapes_{nullptr};  // row 0 gives a, row 1 gives b
};
TORCH_MODULE(Gate);

}  // namespace hardkuma
