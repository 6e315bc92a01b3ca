#pragma once

#include <cstdint>
#include <string>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// Ends a training that has diverged: its loss or a gradient is not finite, or its loss grows far
/// above that of an untrained model. Files written before are kept.
class DivergenceGuard {
 public:
  explicit DivergenceGuard(const Config& config);

  /// What messages say was kept: "the last good model is kept in reviews.model;", or "".
  void set_kept(std::string kept) { kept_ = std::move(kept); }

  /// Sets the epoch and step, from 0, that messages name.
  void at(int64_t epoch, int64_t step) {
    epoch_ = epoch;
    step_ = step;
  }

  /// Check a step's task loss and gradient. They throw InputErrors.
  void check_loss(double task);
  void check_gradient(bool finite) const;

  /// The running mean of the loss, for checkpoints.
  double average() const { return average_; }
  void set_average(double average) { average_ = average; }

 private:
  [[noreturn]] void diverged(const std::string& what) const;

  double untrained_;  // loss of an untrained model
  double average_ = 0.0;
  int64_t epoch_ = 0;
  int64_t step_ = 0;
  std::string kept_;
};

}  // namespace hardkuma
