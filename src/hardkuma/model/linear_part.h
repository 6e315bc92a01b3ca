#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "hardkuma/data/batch.h"

namespace hardkuma {

/// A linear model of single words, fitted before training: a text's logits are the bias plus the
/// sum of its words' weights, divided by the square root of their number.
struct LinearWeights {
  at::Tensor weight;  ///< [V, C]
  at::Tensor bias;    ///< [C]
};

/// A linear model, and the same fitted several times, each time without every K-th text: the text
/// with index i is left out of `folds[i % K]`, whose logits of this text are thus honest.
struct LinearFit {
  LinearWeights all;
  double share = 0.5;  ///< of the linear model in the mean of its logits and the network's
  std::vector<LinearWeights> folds;
};

/// The linear model as part of a network. It stays as fitted; the encoders learn what it lacks.
/// In training each text gets the weights that were fitted without it, so that the network learns
/// how far the linear model can be trusted on other texts.
class LinearPartImpl : public torch::nn::Module {
 public:
  LinearPartImpl(int64_t words, int64_t outputs);

  void set(const LinearFit& fit);

  /// Logits [B, C] of the words weighted by z [N], or of all words if undefined.
  at::Tensor logits(const Batch& batch, const at::Tensor& z, bool training) const;

  /// The mean of a network's logits and of the linear model's, as both weigh: the geometric mean of
  /// their probabilities.
  at::Tensor with(const at::Tensor& network, const at::Tensor& linear) const;

  /// How far each word moves the logits, in standard deviations from the mean over the training
  /// words and at most ±2: [N].
  at::Tensor salience(const Batch& batch, bool training) const;

 private:
  at::Tensor rows(const Batch& batch, bool training) const;  // of weight_ or fold_weights_: [N]

  at::Tensor weight_;    // [V, C]
  at::Tensor bias_;      // [C]
  at::Tensor salience_;  // [V]
  at::Tensor share_;     // [1]
  // Of the folds, one below another; undefined in a loaded model.
  at::Tensor fold_weight_;    // [K·V, C]
  at::Tensor fold_bias_;      // [K, C]
  at::Tensor fold_salience_;  // [K·V]
};
TORCH_MODULE(LinearPart);

}  // namespace hardkuma
