#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "hardkuma/common/random.h"
#include "hardkuma/data/batch.h"
#include "hardkuma/dist/gate_distribution.h"
#include "hardkuma/model/projections.h"
#include "hardkuma/nn/dropout.h"
#include "hardkuma/nn/encoder.h"
#include "hardkuma/nn/gate.h"
#include "hardkuma/nn/linear.h"

namespace hardkuma {

struct RationaleModelOptions {
  bool selects = true;  ///< false: the full-text classifier alone
  bool regression = false;
  int64_t outputs = 2;  ///< classes; 1 for regression
  CellKind cell = CellKind::Lstm;
  bool dependent = false;  ///< each z sees those before it, through a chain of `chain_units`
  int64_t chain_units = 30;
  int64_t hidden = 64;
  double dropout = 0.2;
  bool train_embedding = true;
  Decision decision = Decision::Argmax;
  /// Gates start at P(z = 0) = 2%, near the full text the classifier was warmed up on, instead of
  /// the published 13%.
  bool open_at_start = false;
};

/// What one training pass over a batch gives, each a sum over the batch's examples (so that the
/// pieces of a split batch add up) and averaged over the samples of z.
struct TrainingTerms {
  at::Tensor task;         ///< negative log-likelihood, or squared error
  at::Tensor rate;         ///< E[L0] / length; undefined for a full-text pass
  at::Tensor transitions;  ///< expected fused lasso / length; undefined likewise
  at::Tensor rails;        ///< gate_rails / length; undefined likewise
};

/// Predictions for a batch, rows and sequences in the batch's packed order.
struct Predictions {
  at::Tensor scores;     // [B, C] class probabilities, or [B, 1] the sigmoid's value
  at::Tensor task_loss;  // [B] against the batch's targets
  at::Tensor z;          // [N] 1 everywhere for full text
  at::Tensor p_zero;     // [N]
  at::Tensor p_one;      // [N]
};

/// Selector p(z|x) and classifier p(y|x∘z) over one embedding table (section 5 of the paper):
/// embedding → dropout → × z → encoder → final states → dropout → linear.
class RationaleModelImpl : public torch::nn::Module {
 public:
  /// `embedding` is [V, D]; everything else is drawn from the key.
  RationaleModelImpl(const RationaleModelOptions& options, at::Tensor embedding, RandomKey key);

  /// With `open_gates` the selector is left out and the classifier reads the full text.
  TrainingTerms train_forward(const Batch& batch, RandomKey step, int64_t samples, bool open_gates);

  Predictions predict(const Batch& batch);

  /// The same with projections that cover the batch's words.
  Predictions predict(const Batch& batch, const Projections& projections);

  /// For words [U] int64: what the selector's or the classifier's encoder makes of each, wherever
  /// it stands.
  at::Tensor project(const at::Tensor& words, bool selector) const;

  int64_t vocabulary() const { return embedding_.size(0); }

  /// Only the selector: the value of z at prediction, [N].
  at::Tensor decide(const Batch& batch);

  const RationaleModelOptions& options() const { return options_; }

  /// Parameters that training changes, in a fixed order.
  std::vector<at::Tensor> trained_parameters() const;

 private:
  at::Tensor looked_up(const Batch& batch) const;
  // `looked_up` as above; `rows` undefined: all of the batch.
  at::Tensor dropped_words(const Batch& batch, const at::Tensor& looked_up, RandomKey key,
                           const at::Tensor& rows = {}) const;
  GateValues gates(const Batch& batch, const Projections& projections);  // at prediction
  // Logits for training, from the words weighted by z [N], or from all where it is undefined.
  at::Tensor classify(const Batch& batch, const at::Tensor& words, const at::Tensor& z,
                      RandomKey step);
  at::Tensor task_loss(const at::Tensor& logits, const Batch& batch) const;  // [B]

  RationaleModelOptions options_;
  at::Tensor embedding_;
  BiEncoder selector_{nullptr};
  Gate gate_{nullptr};
  BiEncoder classifier_{nullptr};
  Linear output_{nullptr};
};
TORCH_MODULE(RationaleModel);

/// Σ over sequences of (1/len) Σ_t P(z_t ≠ 0), equation 12.
at::Tensor expected_rate(const at::Tensor& p_nonzero, const Packed& packed);

/// Σ over sequences of (1/len) Σ_t P(one of z_t, z_{t+1} is zero and the other not), equation 13.
at::Tensor expected_transitions(const at::Tensor& p_zero, const at::Tensor& p_nonzero,
                                const Packed& packed);

}  // namespace hardkuma
