#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "hardkuma/common/random.h"
#include "hardkuma/nn/packed.h"
#include "hardkuma/nn/recurrence.h"

namespace hardkuma {

enum class CellKind { Lstm, Rcnn };

struct BiEncoderOptions {
  CellKind cell = CellKind::Lstm;
  int64_t in_features = 0;
  int64_t hidden = 0;  ///< units per direction
};

/// The rows of a batch an encoder has to look at, given z.
struct Reading {
  at::Tensor rows;       ///< [M] int64, in the batch that was given; undefined: all of them
  Packed packed;         ///< what the recurrence runs over
  at::Tensor sequences;  ///< [B'] int64, whose final states those are; undefined: all, in order
  int64_t batch = 0;     ///< B
};

/// A bidirectional LSTM or RCNN over packed batches.
class BiEncoderImpl : public torch::nn::Module {
 public:
  BiEncoderImpl(const BiEncoderOptions& options, RandomKey key);

  /// A state per word: x [N, D] to [N, 2H], forward units first.
  at::Tensor states(const at::Tensor& x, const Packed& packed);

  /// Words with z = 0 are zero vectors to an LSTM, which steps over them without an input product;
  /// an RCNN skips them and runs over the others alone. z: [N].
  Reading read(const Packed& packed, const at::Tensor& z) const;

  /// The final states [B, 2H] over z·x, for the rows of a reading: x [M, D], z [M]. A text with
  /// nothing to read has an RCNN state of zeros.
  at::Tensor final(const at::Tensor& x, const at::Tensor& z, const Reading& reading);

  /// Prediction in two halves. The first depends on the words alone, so that equal words share it:
  /// x [U, D] to [U, width]. The second takes it by pointer for each of a batch's words, or for
  /// each row of a reading, and gives states [N, 2H] or final states [B, 2H]. No gradients.
  at::Tensor project(const at::Tensor& x) const;
  int64_t projection_width() const { return w_ih_.size(0); }
  at::Tensor infer_states(std::vector<const float*> words, const Packed& packed) const;
  at::Tensor infer_final(const std::vector<const float*>& words, const at::Tensor& z,
                         const Reading& reading) const;
  at::Tensor infer_final(std::vector<const float*> words, const Packed& packed) const;

  /// The final states over all words.
  at::Tensor final(const at::Tensor& x, const Packed& packed);

 private:
  RecurrentWeights weights() const;
  at::Tensor run(const RecurrentInput& input, const Packed& packed) const;
  at::Tensor infer(const ProjectedInput& input, const Packed& packed, bool final_only) const;

  BiEncoderOptions options_;
  // LSTM: gates i, f, g, o, and torch's two biases. RCNN: λ, x1, x2, the gate's bias, the output's.
  at::Tensor w_ih_;    // [2·G·H, D]
  at::Tensor w_hh_;    // [2, R·H, H]
  at::Tensor b_ih_;    // [8H]
  at::Tensor b_hh_;    // [8H]
  at::Tensor b_gate_;  // [2, H]
  at::Tensor b_out_;   // [2, H]
};
TORCH_MODULE(BiEncoder);

}  // namespace hardkuma
