#pragma once

#include <optional>

#include "hardkuma/model/config.h"
#include "hardkuma/model/text_model.h"
#include "hardkuma/train/controller.h"

namespace hardkuma {

/// How the terms of a step become the loss, as sums over texts:
///
///   task / scale + weights · (E[L0], E[transitions], bounds)               every gate
///     + Σ (cost - baseline) · log p(z|x)                                  Bernoulli: REINFORCE
///
/// where a text's cost is the part of the loss that its own z changes: task / scale and, for
/// dependent gates, the weighted expectations conditional on the earlier z. With `counted` the cost
/// is equation 4 of the paper instead: task / scale + weights.rate · Σz + weights.lasso · Σ|Δz|,
/// and the expectations are left out.
struct Objective {
  double scale = 1.0;
  bool constrained = false;  ///< false: only the task loss
  Controller::Weights weights;
  int64_t samples = 1;
  bool dependent = false;
  bool counted = false;
  double baseline = 0.0;
  bool leave_one_out = false;  ///< baseline: mean cost of the other samples
};

/// A cost per text and sample, [S·B], without gradient.
at::Tensor text_costs(const ScoreTerms& score, const Objective& objective);

/// A term's factor in the loss; none: the term is left out.
std::optional<double> weight_of(Term term, const Objective& objective);

at::Tensor loss_of(const TrainingTerms& terms, const Objective& objective);

/// The loss of the best constant prediction: the labels' entropy, or their variance; half a nat for
/// a likelihood that learns its scale.
double trivial_loss(const std::vector<Example>& train, const Config& config);

/// What to predict without having read anything, as logits [C]: the classes' logarithmic shares, or
/// the means of the values.
at::Tensor prior_logits(const std::vector<Example>& train, const Config& config);

/// What a text of each class weighs in the loss [C] with train.balance: more for classes that are
/// rare, 1 on average over the texts. Undefined if no class is rare.
at::Tensor class_weights(const std::vector<Example>& train, const Config& config);

/// An exponential moving average, corrected for its start; 0 before the first value.
class RunningMean {
 public:
  void add(double value);
  double value() const { return weight == 0.0 ? 0.0 : sum / weight; }

  double sum = 0.0;
  double weight = 0.0;
};

}  // namespace hardkuma
