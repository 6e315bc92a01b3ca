#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "hardkuma/train/step_engine.h"

namespace hardkuma {

/// Training steps of a recordable model on a GPU. A step is a hundred small pieces of work, and a
/// processor takes longer to hand them over than a GPU to do them: batches are given room to one of
/// a few sizes, the work for a size is recorded when it comes the second time and from then on
/// handed over in two pieces, forward and back. What else varies from step to step (the batch, the
/// random key, the weights of the loss's terms, Adam's rates) goes into the GPU's memory before
/// each. The next batch is packed while the last step is computed.
class RecordedSteps final : public StepEngine {
 public:
  explicit RecordedSteps(EngineParts parts);
  ~RecordedSteps() override;

  MeasuredStep measure(const StepPlan& plan) override;
  bool apply(const Objective& objective, double learning_rate) override;
  bool settle() override;

  /// Recorded work is thrown away. Not between the two halves of a step.
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
  double share_ = 0.0;  // of one text in the batch that was measured
  double norm_ = 0.0;   // the largest of earlier gradients
  EngineUse use_;
};

}  // namespace hardkuma
