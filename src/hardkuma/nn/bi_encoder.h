#pragma once

#include <torch/nn/pimpl.h>

#include "hardkuma/nn/encoder.h"
#include "hardkuma/nn/recurrence.h"

namespace hardkuma {

/// A bidirectional LSTM or RCNN; states have the forward units first, and a summary is the final
/// states of both directions. Words with z = 0 are left out, except by an LSTM with the published
/// rule: it reads zero vectors in their places, without an input product.
class BiEncoderImpl final : public Encoder, public WordProjection {
 public:
  BiEncoderImpl(CellKind cell, const EncoderOptions& options, RandomKey key);

  int64_t width() const override { return 2 * options_.hidden; }
  at::Tensor states(const at::Tensor& x, const Packed& packed) override;
  at::Tensor summary(const at::Tensor& x, const Packed& packed) override;
  Reading read(const Packed& packed, const at::Tensor& z) const override;
  at::Tensor summary(const at::Tensor& x, const at::Tensor& z, const Reading& reading) override;
  const WordProjection* projection() const override { return this; }

  int64_t projection_width() const override { return w_ih_.size(0); }
  at::Tensor project(const at::Tensor& x) const override;
  at::Tensor states_of(std::vector<const float*> words, const Packed& packed) const override;
  at::Tensor summary_of(std::vector<const float*> words, const Packed& packed) const override;
  at::Tensor summary_of(const std::vector<const float*>& words, const at::Tensor& z,
                        const Reading& reading) const override;

 private:
  RecurrentWeights weights() const;
  // Are words with z = 0 left out, not read as zero vectors?
  bool skips() const { return cell_ == CellKind::Rcnn || options_.rule == ReadingRule::Fade; }
  at::Tensor infer(const ProjectedInput& input, const Packed& packed, bool final_only) const;

  CellKind cell_;
  EncoderOptions options_;
  // LSTM: gates i, f, g, o, and torch's two biases. RCNN: λ, x1, x2, gate bias and output bias.
  at::Tensor w_ih_;    // [2·G·H, D]
  at::Tensor w_hh_;    // [2, R·H, H]
  at::Tensor b_ih_;    // [8H]
  at::Tensor b_hh_;    // [8H]
  at::Tensor b_gate_;  // [2, H]
  at::Tensor b_out_;   // [2, H]
};
TORCH_MODULE(BiEncoder);

}  // namespace hardkuma
