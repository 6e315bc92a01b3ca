#pragma once

#include <utility>
#include <vector>

#include "hardkuma/train.h"
#include "hardkuma/train/epoch_report.h"

namespace hardkuma {

/// Receives the progress of training and cannot change it: for progress bars, logs, event files and
/// tests.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void on_step(const StepReport&) {}
  virtual void on_epoch(const EpochReport&) {}  ///< after it was saved

  /// Linear models: an error weight was tried, with this dev metric.
  virtual void on_cost(double /*cost*/, double /*metric*/) {}
};

/// Forwards everything to several observers.
class Observers final : public TrainObserver {
 public:
  explicit Observers(std::vector<TrainObserver*> all) : all_(std::move(all)) {}

  void on_step(const StepReport& report) override {
    for (TrainObserver* one : all_) one->on_step(report);
  }
  void on_epoch(const EpochReport& report) override {
    for (TrainObserver* one : all_) one->on_epoch(report);
  }
  void on_cost(double cost, double metric) override {
    for (TrainObserver* one : all_) one->on_cost(cost, metric);
  }

 private:
  std::vector<TrainObserver*> all_;
};

}  // namespace hardkuma
