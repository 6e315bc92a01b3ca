#pragma once

#include <limits>
#include <map>
#include <string>

#include "hardkuma/dist/support.h"
#include "hardkuma/model/config.h"

namespace hardkuma {

/// Holds the share that gates expect to select at the target. Once per training step it is told the
/// batch's expected rate and transitions and answers with the weights of their gradients in the
/// loss
///
///   task / scale + rate_weight · R_L0 + lasso_weight · R_lasso
///
/// Three kinds: `paper` (section 4.2: a multiplicative, always positive multiplier), `fixed`
/// (constant weights; with a Bernoulli those of equation 4, for counts instead of expectations) and
/// `default`, ours:
///  - a signed price for the rate, so that too little selected is pushed up as well as too much
///    down, and a proportional term beside it, alive even where every sample is 0;
///  - errors in log-odds, and the weight a price over their slope: the same gains serve every rate;
///  - the classifier first reads full text (`warmup`, or until it learns texts by heart), then the
///    goal comes down from where the gates start to the target (`descent`), waiting for the rate
///    to follow, then it is held.
class Controller {
 public:
  Controller(const Config& config, int64_t total_steps);

  struct Weights {
    double rate = 0.0;
    double lasso = 0.0;
    double bounds = 0.0;
  };

  /// True while the classifier is to read the full text and nothing is constrained.
  bool warming_up(int64_t step) const;

  /// True while the goal is still on its way down.
  bool descending(int64_t step) const;

  /// True at the end, when the classifier learns from gates as they are decided at prediction.
  bool settling(int64_t step) const;

  /// What samples are stretched to in a step.
  Support support(int64_t step) const;

  /// Moves the multipliers by what step `step` (from 0) measured, per example means.
  Weights update(int64_t step, double rate, double transitions);

  /// Told after an epoch that ended before `step`. Ends the warm-up when the classifier has learned
  /// something, more than the loss of knowing nothing (`trivial`), and no longer learns but by
  /// heart: what it would then ask of a selector says little of other texts.
  void epoch_done(int64_t step, double train_loss, double dev_loss, double trivial);

  /// The rate's weight, or the multiplier that it comes from, as of the last step.
  double lambda() const {
    return options_.name == ControllerKind::Default ? weight_ : state_.lambda;
  }
  double goal() const { return state_.goal; }

  /// Everything that a resumed run needs, by name.
  std::map<std::string, double> save() const;
  void load(const std::map<std::string, double>& saved);

 private:
  double priced(double value, double goal, double gain, double least, double& average,
                double& price) const;  // the weight of a constrained value
  double smoothed(double average) const;
  double plan(int64_t step) const;  // the next goal

  // From every other word down to what is wanted, with the goal: few transitions at a high rate
  // would leave a text nothing but to be selected whole or not at all.
  double allowed_transitions(double wanted) const;

  double share_descended(int64_t step) const;  // of the descent's steps, before 0 or less

  Config::Controller options_;
  double target_;
  double transitions_target_;  // per word of the whole text; 0: unconstrained
  double run_length_;
  bool counted_;
  int64_t descent_steps_;
  int64_t settle_step_;
  double price_step_;  // default: the price's at full error

  double weight_ = 0.0;  // default: the rate's, as of the last step
  struct State {
    double warmup_steps = 0.0;
    double lowest_loss = std::numeric_limits<double>::max();  // on dev, during the warm-up
    double epochs_since = 0.0;                                // it was seen
    double started = 0.0;                                     // 1 once the first rate was seen
    double start_rate = 1.0;                                  // where the descent begins
    double goal = 1.0;
    double average = 0.0;  // of rate - goal; default: of the difference of log-odds
    double seen = 0.0;     // the weight of all that went into it
    double lambda = 0.0;   // paper, fixed
    double price = 0.0;    // default
    double lasso_average = 0.0;
    double lasso_lambda = 0.0;
  } state_;
};

}  // namespace hardkuma
