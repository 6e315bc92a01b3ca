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
/// where a text's cost is what its own z brought about: task / scale and, for gates that depend on
/// each other, the weighted expectations given the z before. With `counted` it is equation 4 of the
/// paper instead: task / scale + weights.rate · Σz + weights.lasso · Σ|Δz|, and the expectations
/// are left out.
struct Objective {
  double scale = 1.0;
  bool constrained = false;  ///< false: the task alone, no gates were drawn
  Controller::Weights weights;
  int64_t samples = 1;
  bool dependent = false;
  bool counted = false;
  double baseline = 0.0;
  bool leave_one_out = false;  ///< each sample's baseline is the mean of the others' instead
};

/// A cost per text and sample, [S·B], without gradient.
at::Tensor text_costs(const ScoreTerms& score, const Objective& objective);

/// What the loss multiplies a term by; none: the term is left out.
std::optional<double> weight_of(Term term, const Objective& objective);

at::Tensor loss_of(const TrainingTerms& terms, const Objective& objective);

/// The loss of the best constant prediction: the labels' entropy, or their variance; half a nat for
/// a likelihood of its own scale.
double trivial_loss(const std::vector<Example>& train, const Config& config);

/// A mean over the last values, forgetting older ones; 0 before the first.
class RunningMean {
 public:
  void add(double value);
  double value() const { return weight == 0.0 ? 0.0 : sum / weight; }

  double sum = 0.0;
  double weight = 0.0;
};

}  // namespace hardkuma
