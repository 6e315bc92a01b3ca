#include "hardkuma/model/linear_part.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "hardkuma/nn/attention.h"

namespace hardkuma {
namespace {

constexpr double kMostSalience = 2.0;

// By the largest difference from the mean over the classes, in standard deviations.
at::Tensor salience_of(const at::Tensor& weight) {
  const at::Tensor centred = weight.size(1) > 1 ? weight - weight.mean(1, true) : weight;
  const at::Tensor largest = at::amax(at::abs(centred), 1);
  const at::Tensor deviation = at::clamp_min(largest.std(), 1e-6);
  return at::clamp((largest - largest.mean()) / deviation, -kMostSalience, kMostSalience);
}

// The fold that each text was left out of: [B].
at::Tensor folds_of(const Batch& batch, int64_t count) {
  std::vector<int64_t> out;
  for (const uint64_t id : batch.example_ids.all)
    out.push_back(static_cast<int64_t>(id % static_cast<uint64_t>(count)));
  return at::tensor(out, at::kLong);
}

}  // namespace

LinearPartImpl::LinearPartImpl(int64_t words, int64_t outputs) {
  const auto fixed = [&](const char* name, at::IntArrayRef shape) {
    return register_parameter(name, at::zeros(shape), /*requires_grad=*/false);
  };
  weight_ = fixed("weight", {words, outputs});
  bias_ = fixed("bias", {outputs});
  salience_ = fixed("salience", {words});
  share_ = fixed("share", {1});
}

void LinearPartImpl::set(const LinearFit& fit) {
  const at::NoGradGuard no_grad;
  weight_.copy_(fit.all.weight);
  bias_.copy_(fit.all.bias);
  share_.fill_(fit.share);
  salience_.copy_(salience_of(fit.all.weight));
  std::vector<at::Tensor> weights;
  std::vector<at::Tensor> biases;
  std::vector<at::Tensor> saliences;
  for (const LinearWeights& fold : fit.folds) {
    weights.push_back(fold.weight);
    biases.push_back(fold.bias);
    saliences.push_back(salience_of(fold.weight));
  }
  if (weights.empty()) return;
  fold_weight_ = at::cat(weights).to(weight_.device());
  fold_bias_ = at::stack(biases).to(weight_.device());
  fold_salience_ = at::cat(saliences).to(weight_.device());
}

at::Tensor LinearPartImpl::rows(const Batch& batch, bool training) const {
  if (!training || !fold_weight_.defined()) return batch.words;
  const at::Tensor of_row =
      folds_of(batch, fold_bias_.size(0)).index_select(0, batch.packed.sequence_of_row());
  return batch.words + (of_row * weight_.size(0)).to(batch.words.device());
}

at::Tensor LinearPartImpl::logits(const Batch& batch, const at::Tensor& z, bool training) const {
  const bool folds = training && fold_weight_.defined();
  const at::Tensor own = (folds ? fold_weight_ : weight_).index_select(0, rows(batch, training));
  const at::Tensor weight = z.defined() ? z : at::ones({own.size(0)}, own.options());
  const at::Tensor count =
      weighted_sum(weight, at::ones({own.size(0), 1}, own.options()), batch.packed);
  at::Tensor bias = bias_;
  if (folds) {
    const at::Tensor own_folds = folds_of(batch, fold_bias_.size(0));
    bias = fold_bias_.index_select(0, own_folds.to(fold_bias_.device()));
  }
  return weighted_sum(weight, own, batch.packed) / at::sqrt(at::clamp_min(count, 1.0)) + bias;
}

at::Tensor LinearPartImpl::with(const at::Tensor& network, const at::Tensor& linear) const {
  return network + share_ * (linear - network);
}

at::Tensor LinearPartImpl::salience(const Batch& batch, bool training) const {
  const bool folds = training && fold_weight_.defined();
  return (folds ? fold_salience_ : salience_).index_select(0, rows(batch, training));
}

}  // namespace hardkuma
