#include "hardkuma/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace hardkuma {

Schedule::Schedule(const Config::Train& options)
    : options_(options),
      milestones_(parse_milestones(options.milestones)),
      rate_(options.learning_rate) {}

void Schedule::epoch_done(int64_t epoch, double dev_loss, bool settled) {
  bool drop = options_.schedule == RateSchedule::Exponential;
  if (options_.schedule == RateSchedule::Multistep) {
    drop = std::find(milestones_.begin(), milestones_.end(), epoch) != milestones_.end();
  }
  if (options_.schedule == RateSchedule::Plateau && settled) {
    const bool better = waited_ < 0 || dev_loss < best_ - 1e-4 * std::abs(best_);
    if (better) best_ = dev_loss;
    waited_ = better ? 0 : waited_ + 1;
    drop = waited_ > options_.patience;
    if (drop) waited_ = 0;
  }
  if (options_.schedule == RateSchedule::Anneal && settled) {
    if (waited_ < 0) waited_ = epoch - 1;
    const auto left = static_cast<double>(options_.epochs - epoch);
    const auto all = static_cast<double>(options_.epochs - waited_);
    // To a tenth, not to 0: the controller acts through the learning rate.
    rate_ = options_.learning_rate * (0.1 + 0.9 * left / all);
  }
  if (drop) rate_ = std::max(rate_ * options_.decay, std::min(rate_, options_.min_learning_rate));
}

void Schedule::load(const State& state) {
  rate_ = state.rate;
  best_ = state.best;
  waited_ = state.waited;
}

}  // namespace hardkuma
