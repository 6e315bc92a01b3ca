#pragma once

#include <cstdint>
#include <vector>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// The learning-rate schedule by epoch: none, plateau, exponential, multistep or anneal.
class Schedule {
 public:
  explicit Schedule(const Config::Train& options);

  double learning_rate() const { return rate_; }

  /// Called after epoch `epoch` (from 1) with its dev loss. `settled` is false while the goal still
  /// descends, when dev losses are not comparable.
  void epoch_done(int64_t epoch, double dev_loss, bool settled);

  struct State {
    double rate = 0.0;
    double best = 0.0;
    int64_t waited = -1;  ///< -1: no loss seen yet; anneal: epochs before it began
  };
  State save() const { return {rate_, best_, waited_}; }
  void load(const State& state);

 private:
  Config::Train options_;
  std::vector<int64_t> milestones_;
  double rate_;
  double best_ = 0.0;
  int64_t waited_ = -1;
};

}  // namespace hardkuma
