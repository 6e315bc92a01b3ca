#include "hardkuma/train/controller.h"

#include <algorithm>
#include <cmath>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

constexpr double kMultiplierTime = 0.3;  // share of the run to which eta refers
constexpr double kLassoGain = 0.2;       // transitions are few and noisy
constexpr double kMostTransitions = 0.5;
constexpr double kLeastSlope = 0.02;
constexpr double kFarPace = 0.25;
constexpr double kBehind = 0.5;    // log-odds above the goal at which the descent waits
constexpr double kFarBelow = 0.2;  // relative difference of two losses

// The loss of a density may be negative.
bool far_below(double loss, double other) {
  return other - loss > kFarBelow * std::abs(other);
}

double log_odds(double rate) {
  const double inside = std::clamp(rate, 1e-4, 1.0 - 1e-4);
  return std::log(inside / (1.0 - inside));
}

}  // namespace

Controller::Controller(const Config& config, int64_t total_steps)
    : options_(config.controller),
      target_(config.objective.target),
      transitions_target_(config.objective.lasso),
      run_length_(config.objective.run_length),
      counted_(counts_selected(config)) {
  const bool scheduled = options_.name == ControllerKind::Default;
  const auto steps = static_cast<double>(total_steps);
  // Trained weights need no warm-up.
  const bool warms_up = scheduled && config.train.start.empty();
  state_.warmup_steps = warms_up ? std::round(steps * options_.warmup) : 0.0;
  descent_steps_ = scheduled ? std::llround(steps * options_.descent) : 0;
  multiplier_step_ = options_.eta / std::max(1.0, kMultiplierTime * steps);
  settle_step_ = total_steps - (scheduled ? std::llround(steps * options_.settle) : 0);
  if (options_.name == ControllerKind::Paper) {
    state_.lambda = options_.lambda;
    state_.lasso_lambda = options_.lambda;
  }
  if (options_.name == ControllerKind::Fixed) state_.lambda = options_.lambda;
  state_.goal = scheduled ? 1.0 : target_;
}

bool Controller::warming_up(int64_t step) const {
  return static_cast<double>(step) < state_.warmup_steps;
}

bool Controller::descending(int64_t step) const {
  return static_cast<double>(step) < state_.warmup_steps + static_cast<double>(descent_steps_);
}

bool Controller::settling(int64_t step) const {
  return step >= settle_step_;
}

void Controller::epoch_done(int64_t step, double train_loss, double dev_loss, double trivial) {
  if (!warming_up(step)) return;
  state_.epochs_since = dev_loss < state_.lowest_loss ? 0.0 : state_.epochs_since + 1.0;
  state_.lowest_loss = std::min(state_.lowest_loss, dev_loss);
  const bool impatient =
      options_.patience > 0 && state_.epochs_since >= static_cast<double>(options_.patience);
  if (impatient && far_below(state_.lowest_loss, trivial) && far_below(train_loss, dev_loss)) {
    state_.warmup_steps = static_cast<double>(step);
  }
}

double Controller::share_descended(int64_t step) const {
  return (static_cast<double>(step) - state_.warmup_steps) / static_cast<double>(descent_steps_);
}

Support Controller::support(int64_t step) const {
  const Support published;
  if (options_.edge == -published.l || !descending(step)) return published;
  const double done = std::max(0.0, share_descended(step));
  const double edge = std::pow(options_.edge, 1.0 - done) * std::pow(-published.l, done);
  return {-edge, 1.0 + edge};
}

// Errors are differences of log-odds, and a weight is the multiplier divided by the slope of the
// rate in log-odds, so that the same gains suit 2% and 80%. Against windup, errors are clamped to
// 1, and the multiplier grows more slowly while the rate is that far off.
double Controller::constraint_weight(double value, double goal, double gain, double least,
                                     double& average, double& multiplier) const {
  const double excess = log_odds(value) - log_odds(goal);
  average = options_.alpha * average + (1.0 - options_.alpha) * std::clamp(excess, -1.0, 1.0);
  const double error = smoothed(average);
  const double pace = std::abs(excess) < 1.0 || excess * multiplier <= 0.0 ? 1.0 : kFarPace;
  multiplier =
      std::clamp(multiplier + gain * pace * multiplier_step_ * error, least, options_.bound);
  return std::max(multiplier + gain * options_.rho * error, 2.0 * least) /
         std::max(goal * (1.0 - goal), kLeastSlope);
}

double Controller::smoothed(double average) const {
  return options_.corrected && state_.seen > 0.0 ? average / state_.seen : average;
}

double Controller::plan(int64_t step) const {
  if (!descending(step) || state_.goal <= target_) return target_;
  if (options_.schedule == Descent::Linear) {
    return state_.start_rate + (target_ - state_.start_rate) * share_descended(step + 1);
  }
  // The default schedule waits while the rate is far behind the goal.
  if (options_.schedule == Descent::Achieved && smoothed(state_.average) >= kBehind)
    return state_.goal;
  // Geometric over the steps that are left; the last one reaches the target.
  const double left = state_.warmup_steps + static_cast<double>(descent_steps_ - step);
  return std::max(target_, state_.goal * std::pow(target_ / state_.goal, 1.0 / left));
}

double Controller::allowed_transitions(double wanted) const {
  if (state_.goal <= target_ || state_.start_rate <= target_) return wanted;
  const double done =
      std::log(state_.start_rate / state_.goal) / std::log(state_.start_rate / target_);
  return std::max(wanted, std::pow(kMostTransitions, 1.0 - done) * std::pow(wanted, done));
}

Controller::Weights Controller::update(int64_t step, double rate, double transitions) {
  if (options_.name == ControllerKind::Fixed) {
    return counted_ ? Weights{options_.word_cost, options_.change_cost, 0.0}
                    : Weights{options_.lambda, options_.lasso_weight, 0.0};
  }
  if (state_.started == 0.0) {
    state_.started = 1.0;
    state_.start_rate = rate;
    if (options_.name == ControllerKind::Default) state_.goal = rate;
  }
  if (options_.name == ControllerKind::Paper) {
    const auto move = [&](double& average, double& lambda, double excess) {
      average = options_.paper_alpha * average + (1.0 - options_.paper_alpha) * excess;
      lambda = std::clamp(lambda * std::exp(options_.paper_eta * average), options_.lambda_min,
                          options_.lambda_max);
    };
    move(state_.average, state_.lambda, rate - target_);
    if (transitions_target_ == 0.0) return {state_.lambda, 0.0, 0.0};
    move(state_.lasso_average, state_.lasso_lambda, transitions - transitions_target_);
    return {state_.lambda, state_.lasso_lambda, 0.0};
  }

  state_.goal = plan(step);
  const double least = options_.one_sided ? 0.0 : -options_.bound;
  state_.seen = options_.alpha * state_.seen + (1.0 - options_.alpha);
  Weights weights;
  weights.rate = weight_ =
      constraint_weight(rate, state_.goal, 1.0, least, state_.average, state_.multiplier);
  weights.bounds = 1.0;
  const double wanted = transitions_target_ > 0.0 ? transitions_target_
                        : run_length_ > 0.0       ? 2.0 * target_ / run_length_
                                                  : 0.0;
  if (wanted > 0.0) {
    const double allowed = allowed_transitions(wanted);
    // One-sided: runs may be longer than asked for.
    weights.lasso = constraint_weight(transitions, allowed, kLassoGain, 0.0, state_.lasso_average,
                                      state_.lasso_lambda);
  }
  return weights;
}

std::map<std::string, double> Controller::save() const {
  return {{"warmup_steps", state_.warmup_steps},
          {"lowest_loss", state_.lowest_loss},
          {"epochs_since", state_.epochs_since},
          {"started", state_.started},
          {"start_rate", state_.start_rate},
          {"goal", state_.goal},
          {"average", state_.average},
          {"seen", state_.seen},
          {"lambda", state_.lambda},
          {"multiplier", state_.multiplier},
          {"lasso_average", state_.lasso_average},
          {"lasso_lambda", state_.lasso_lambda},
          {"weight_rate", weight_}};
}

void Controller::load(const std::map<std::string, double>& saved) {
  const auto get = [&](const char* name) {
    const auto found = saved.find(name);
    if (found == saved.end()) throw InputError("the checkpoint lacks the controller's {}", name);
    return found->second;
  };
  state_ = {get("warmup_steps"), get("lowest_loss"), get("epochs_since"),  get("started"),
            get("start_rate"),   get("goal"),        get("average"),       get("seen"),
            get("lambda"),       get("multiplier"),  get("lasso_average"), get("lasso_lambda")};
  weight_ = get("weight_rate");
}

}  // namespace hardkuma
