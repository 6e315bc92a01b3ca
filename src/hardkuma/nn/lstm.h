#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "hardkuma/common/random.h"
#include "hardkuma/nn/packed.h"

namespace hardkuma {

struct BiLstmOptions {
  int64_t in_features = 0;
  int64_t hidden = 0;  ///< units per direction
};

/// A bidirectional LSTM over a packed batch: [N, D] in, [N, 2H] out, forward units first.
/// Weights of both directions lie in one tensor each, gates in the order i, f, g, o.
class BiLstmImpl : public torch::nn::Module {
 public:
  BiLstmImpl(const BiLstmOptions& options, RandomKey key);

  at::Tensor forward(const at::Tensor& x, const Packed& packed);

  at::Tensor w_ih;  // [8H, D]
  at::Tensor w_hh;  // [2, 4H, H]
  at::Tensor b_ih;  // [8H]
  at::Tensor b_hh;  // [8H]
};
TORCH_MODULE(BiLstm);

/// The arithmetic of BiLstm as one autograd function: one GEMM for the input projection of all
/// steps and both directions, a loop of one recurrent GEMM and one elementwise pass per step, one
/// GEMM per weight gradient after the loop.
at::Tensor bi_lstm(const at::Tensor& x, const at::Tensor& w_ih, const at::Tensor& w_hh,
                   const at::Tensor& b_ih, const at::Tensor& b_hh, const Packed& packed);

/// The final state of both directions: forward at the last word, backward at the first. [B, 2H].
at::Tensor final_states(const at::Tensor& states, const Packed& packed);

/// Uniform in ±bound, element i from key.with(i).
at::Tensor uniform_tensor(at::IntArrayRef shape, double bound, RandomKey key);

/// Uniform in ±sqrt(6 / (fan_in + fan_out)), from the key.
at::Tensor xavier_uniform(at::IntArrayRef shape, int64_t fan_in, int64_t fan_out, RandomKey key);

}  // namespace hardkuma
