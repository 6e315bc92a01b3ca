#pragma once

#include "hardkuma/train/step_engine.h"

namespace hardkuma {

/// Steps whose batch is split over workers, each with its own forward and backward pass. Gradients
/// are added in the order of workers (and of peers), so that the same number gives the same bytes.
class WorkerSteps final : public StepEngine {
 public:
  WorkerSteps(EngineParts parts, Workers& workers, Peers& peers);

  MeasuredStep measure(const StepPlan& plan) override;
  double mean_cost(const Objective& objective) const override;
  bool apply(const Objective& objective, double learning_rate) override;
  bool settle() override;

 private:
  struct Slot {
    Batch batch;
    TrainingTerms terms;
  };

  std::vector<int64_t> dealt_to(int64_t worker, const std::vector<int64_t>& examples) const;
  Batch batch_of(const std::vector<int64_t>& indices) const;

  EngineParts parts_;
  Workers& workers_;
  Peers& peers_;
  std::vector<Slot> slots_;
  double share_ = 0.0;  // of one text in the measured batch
};

}  // namespace hardkuma
