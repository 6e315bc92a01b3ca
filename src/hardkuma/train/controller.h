#pragma once

#include <limits>
#include <map>
#include <string>

#include "hardkuma/dist/support.h"
#include "hardkuma/model/config.h"

namespace hardkuma {

/// Holds the gates' expected selected share (the rate) at the target. In each training step it gets
/// the batch's expected rate and transitions and returns their weights in the loss
///
///   task / scale + rate_weight · R_L0 + lasso_weight · R_lasso
///
/// Three kinds: `paper` (section 4.2: a multiplicative, always positive multiplier), `fixed`
/// (constant weights; with Bernoulli gates those of equation 4, for counts instead of expectations)
/// and `default`, ours:
///  - A signed multiplier for the rate pushes too low a rate up and too high a rate down. It
///    integrates the error; a proportional term is added, which acts even if every sample is 0.
///  - Errors are in log-odds, and the weight is the multiplier divided by the slope of the rate in
///    log-odds, so that the same gains suit every rate.
///  - In the warm-up (`warmup`; it ends early if the classifier overfits) the classifier reads the
///    full text. Then the goal, the rate to aim at, descends from the gates' first rate to the
///    target (`descent`), waiting while the rate does not follow. Then the target is held.
class Controller {
 public:
  Controller(const Config& config, int64_t total_steps);

  struct Weights {
    double rate = 0.0;
    double lasso = 0.0;
    double bounds = 0.0;
  };

  /// True during the warm-up: the classifier reads the full text and nothing is constrained.
  bool warming_up(int64_t step) const;

  /// True until the descent has ended, also during the warm-up.
  bool descending(int64_t step) const;

  /// True in the last steps, in which the classifier is trained on gates decided as at prediction.
  bool settling(int64_t step) const;

  /// The support that a step's samples are stretched to.
  Support support(int64_t step) const;

  /// Updates the multipliers with the means over examples that step `step` (from 0) measured.
  Weights update(int64_t step, double rate, double transitions);

  /// Called after an epoch that ended before `step`. Ends the warm-up early if the dev loss is far
  /// below that of a constant prediction (`trivial`), no longer improves, and the classifier
  /// overfits: it would then train the selector on patterns that do not generalise.
  void epoch_done(int64_t step, double train_loss, double dev_loss, double trivial);

  /// After the last step: the weight of the rate for `default`, else the multiplier.
  double lambda() const {
    return options_.name == ControllerKind::Default ? weight_ : state_.lambda;
  }
  double goal() const { return state_.goal; }

  /// Everything that a resumed run needs, by name.
  std::map<std::string, double> save() const;
  void load(const std::map<std::string, double>& saved);

 private:
  double constraint_weight(double value, double goal, double gain, double least, double& average,
                           double& multiplier) const;  // updates a multiplier, returns the weight
  double smoothed(double average) const;
  double plan(int64_t step) const;  // the next goal

  // Descends with the goal from a transition every other word to `wanted`: with few transitions at
  // a high rate, a text could only be selected whole or not at all.
  double allowed_transitions(double wanted) const;

  double share_descended(int64_t step) const;  // of the descent; at most 0 before it

  Config::Controller options_;
  double target_;
  double transitions_target_;  // per word of the whole text; 0: unconstrained
  double run_length_;
  bool counted_;
  int64_t descent_steps_;
  int64_t settle_step_;
  double multiplier_step_;  // default: the multiplier's step at full error

  double weight_ = 0.0;  // default: the rate's weight after the last step
  struct State {
    double warmup_steps = 0.0;
    double lowest_loss = std::numeric_limits<double>::max();  // on dev, during the warm-up
    double epochs_since = 0.0;                                // since lowest_loss
    double started = 0.0;                                     // 1 once the first rate was seen
    double start_rate = 1.0;                                  // where the descent begins
    double goal = 1.0;
    double average = 0.0;     // of rate - goal; default: of the difference of log-odds
    double seen = 0.0;        // sum of the weights in `average`
    double lambda = 0.0;      // multiplier: paper, fixed
    double multiplier = 0.0;  // multiplier: default
    double lasso_average = 0.0;
    double lasso_lambda = 0.0;
  } state_;
};

}  // namespace hardkuma
