#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "hardkuma/train/step_engine.h"

namespace hardkuma {

/// Training steps of a recordable model on a GPU. A step is about a hundred small kernels, which
/// take longer to launch than to run. So batches are padded to one of a few sizes, and the second
/// step of a size records its kernels; from then on such a step is two launches, forward and
/// backward. What differs between steps (the batch, the random key, the weights of the loss terms,
/// Adam's rates) is copied to GPU memory before each. The next batch is packed while a step runs.
class RecordedSteps final : public StepEngine {
 public:
  explicit RecordedSteps(EngineParts parts);
  ~RecordedSteps() override;

  MeasuredStep measure(const StepPlan& plan) override;
  bool apply(const Objective& objective, double learning_rate) override;
  bool settle() override;

  /// Discards all recordings. Must not be called between the two halves of a step.
  void model_changed() override;

  EngineUse use() const override { return use_; }

 private:
  struct Plan;
  using Size = std::tuple<Gates, int64_t, int64_t, int64_t>;  // texts, rows, cells

  Plan& plan_for(const Batch& batch, RandomKey key, Gates gates);
  void pass(Plan& plan, RandomKey key, Gates gates);
  Gradients gradients(Plan& plan);
  void record(Plan& plan, RandomKey key, Gates gates);

  EngineParts parts_;
  struct Running;
  std::unique_ptr<Running> running_;
  std::map<Size, std::unique_ptr<Plan>> plans_;
  double share_ = 0.0;  // of one text in the measured batch
  double norm_ = 0.0;   // the largest of earlier steps
  EngineUse use_;
};

}  // namespace hardkuma
