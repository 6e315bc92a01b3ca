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
  double bias_a = 0.0;  ///< first biases, before softplus; 0 gives a = b = ln 2, as published
  double bias_b = 0.0;
};

/// From a state per word [N, D] to a HardKuma per word: two linear maps to 1, softplus, clamp.
class GateImpl : public torch::nn::Module {
 public:
  GateImpl(const GateOptions& options, RandomKey key);

  /// The two maps' values before softplus, [N, 2].
  at::Tensor raw_shapes(const at::Tensor& states);
  HardKuma distribution(const at::Tensor& raw_shapes) const;

 private:
  GateOptions options_;
  Linear shapes_{nullptr};  // row 0 gives a, row 1 gives b
};
TORCH_MODULE(Gate);

/// How far raw shapes [N, 2] lie outside the range where a gate's gradients live, squared, [N].
/// Inside P(z = 0) covers 0.0007 to 0.9998 and the penalty is 0; far outside, every other gradient
/// vanishes and nothing but this would ever bring a gate back.
at::Tensor gate_rails(const at::Tensor& raw_shapes);

}  // namespace hardkuma
