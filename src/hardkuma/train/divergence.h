#pragma once

#include <cstdint>
#include <string>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// Ends a training that has diverged: its loss or a gradient is not finite, or its loss grows far
/// above that of an untrained model. What was written before stays.
class DivergenceGuard {
 public:
  explicit DivergenceGuard(const Config& config);

  /// What to say was kept: "the last good model is kept in reviews.model;", or "".
  void set_kept(std::string kept) { kept_ = std::move(kept); }

  /// Epoch and step, from 0, that messages speak of.
  void at(int64_t epoch, int64_t step) {
    epoch_ = epoch;
    step_ = step;
  }

  /// A step's task loss; they throw InputErrors.
  void check_loss(double task);
  void check_gradient(bool finite) const;

  /// Goes into checkpoints.
  double average() const { return average_; }
  void set_average(double average) { average_ = average; }

 private:
  [[noreturn]] void diverged(const std::string& what) const;

  double untrained_;  // the loss of knowing nothing
  double average_ = 0.0;
  int64_t epoch_ = 0;
  int64_t step_ = 0;
  std::string kept_;
};

}  // namespace hardkuma
