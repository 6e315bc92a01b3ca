#include "hardkuma/train/objective.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/dist/stable.h"

namespace hardkuma {
namespace {

constexpr double kMemory = 0.95;

}  // namespace

at::Tensor text_costs(const ScoreTerms& score, const Objective& o) {
  const at::NoGradGuard no_grad;
  const at::Tensor task = score.task / o.scale;
  if (o.counted) return task + o.weights.rate * score.selected + o.weights.lasso * score.changes;
  if (!o.dependent) return task;
  return task + o.weights.rate * score.rate + o.weights.lasso * score.transitions;
}

std::optional<double> weight_of(Term term, const Objective& o) {
  const auto unless_zero = [](bool counts, double weight) {
    return counts && weight != 0.0 ? std::optional(weight) : std::nullopt;
  };
  const bool expected = o.constrained && !o.counted;
  switch (term) {
    case Term::Task:
    case Term::Selector:
      return 1.0 / o.scale;
    case Term::Rate:  // also with weight 0, so that gates have a gradient
      return expected ? std::optional(o.weights.rate) : std::nullopt;
    case Term::Transitions:
      return unless_zero(expected, o.weights.lasso);
    case Term::Bounds:
      return unless_zero(o.constrained, o.weights.bounds);
  }
  throw InternalError("[loss] no term {}", static_cast<int>(term));
}

at::Tensor loss_of(const TrainingTerms& terms, const Objective& o) {
  at::Tensor loss = terms.task / o.scale;
  if (terms.selector.defined()) loss = loss + terms.selector / o.scale;
  for (const Term term : {Term::Rate, Term::Transitions, Term::Bounds}) {
    const std::optional<double> weight = weight_of(term, o);
    if (weight && terms[term].defined()) loss = loss + terms[term] * *weight;
  }
  if (!terms.score.log_probability.defined()) return loss;
  at::Tensor advantage = text_costs(terms.score, o) - o.baseline;
  if (o.leave_one_out) {  // c - (Σc - c) / (S - 1)
    const at::Tensor by_sample = advantage.view({o.samples, -1});
    const auto others = static_cast<double>(o.samples - 1);
    advantage = ((by_sample - by_sample.mean(0, /*keepdim=*/true)) *
                 (static_cast<double>(o.samples) / others))
                    .view({-1});
  }
  return loss + (advantage * terms.score.log_probability).sum() / static_cast<double>(o.samples);
}

double trivial_loss(const std::vector<Example>& train, const Config& config) {
  const TaskInfo& task = config.task;
  const auto count = static_cast<double>(train.size());
  if (task.regression && config.model.likelihood == Likelihood::LogitNormal) return 0.5;
  if (task.regression) {
    double variance = 0.0;
    for (size_t k = 0; k < static_cast<size_t>(task.outputs()); ++k) {
      double mean = 0.0;
      double square = 0.0;
      for (const Example& example : train) {
        mean += example.value(k) / count;
        square += example.value(k) * example.value(k) / count;
      }
      variance += (square - mean * mean) / static_cast<double>(task.outputs());
    }
    return std::max(variance, 1e-6);
  }
  std::vector<double> counts(task.labels.size(), 0.0);
  for (const Example& example : train) counts[static_cast<size_t>(example.target)] += 1.0;
  double entropy = 0.0;
  for (const double n : counts) {
    if (n > 0) entropy -= n / count * std::log(n / count);
  }
  return std::max(entropy, 1e-6);
}

at::Tensor prior_logits(const std::vector<Example>& train, const Config& config) {
  const auto outputs = static_cast<size_t>(config.task.outputs());
  const auto count = static_cast<double>(train.size());
  std::vector<float> out;
  for (size_t k = 0; k < outputs; ++k) {
    double sum = 0.0;
    for (const Example& example : train) {
      sum += config.task.regression ? example.value(k)
                                    : (static_cast<size_t>(example.target) == k ? 1.0 : 0.0);
    }
    const double share =
        (sum + 0.5) /
        (count +
         0.5 * static_cast<double>(config.task.regression ? 2 : std::max<size_t>(2, outputs)));
    out.push_back(static_cast<float>(config.task.regression ? logit(share) : std::log(share)));
  }
  return at::tensor(out, at::kFloat);
}

at::Tensor class_weights(const std::vector<Example>& train, const Config& config) {
  constexpr double kRare = 0.2;  // of an equal share
  constexpr double kMost = 10.0;
  if (config.task.regression || config.train.balance == Balance::None) return {};
  const size_t classes = config.task.labels.size();
  std::vector<double> counts(classes, 0.0);
  for (const Example& example : train) counts[static_cast<size_t>(example.target)] += 1.0;
  const double texts = static_cast<double>(train.size());
  const double equal = texts / static_cast<double>(classes);
  std::vector<double> weights;
  double total = 0.0;
  bool any = false;
  for (const double count : counts) {
    const bool rare = count > 0.0 && count < kRare * equal;
    weights.push_back(rare ? std::min(kMost, std::sqrt(equal / count)) : 1.0);
    total += weights.back() * count;
    any = any || rare;
  }
  if (!any) return {};
  return at::tensor(weights, at::kDouble).to(at::kFloat) * (texts / total);
}

void RunningMean::add(double value) {
  sum = kMemory * sum + (1.0 - kMemory) * value;
  weight = kMemory * weight + (1.0 - kMemory);
}

}  // namespace hardkuma
