#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "hardkuma/model/text_model.h"
#include "hardkuma/train/adam.h"
#include "hardkuma/train/controller.h"

namespace hardkuma {

/// What a training step measured, sums over its texts.
struct StepSums {
  double task = 0.0;
  double rate = 0.0;
  double transitions = 0.0;
  double norm = 0.0;    ///< of earlier gradients: the largest since Adam was last asked
  int64_t kernels = 0;  ///< launched in both halves, if they were recorded
  double waited = 0.0;  ///< seconds until they were known
};

/// Training steps of a recordable model on a GPU. A step is a hundred small pieces of work, and a
/// processor takes longer to hand them over than a GPU to do them: batches are given room to one of
/// a few sizes, the work for a size is recorded when it comes the second time and from then on
/// handed over in two pieces, forward and back. What the first measured says how the terms of the
/// loss are weighed in the second. What else varies from step to step (the batch, the random key,
/// Adam's rates) goes into the GPU's memory before each.
class GpuSteps {
 public:
  GpuSteps(TextModel& model, Adam& adam, std::vector<at::Tensor> parameters, int64_t samples,
           double clip);
  ~GpuSteps();

  struct Weights {
    double task = 1.0;
    Controller::Weights others;
  };

  /// Passes forward over a batch that is on the CPU, and waits for what it measures.
  StepSums forward(const Batch& batch, RandomKey key, Gates gates);

  /// Queues the rest of that step: the gradients of the terms so weighed, and Adam's step.
  void back(const Weights& weights, double learning_rate);

  /// Recorded work is thrown away, for the model has changed its ways. Not between the two halves.
  void forget();

 private:
  struct Plan;
  using Size = std::tuple<Gates, int64_t, int64_t, int64_t>;  // texts, rows, cells

  Plan& plan_for(const Batch& batch, RandomKey key, Gates gates);
  void pass(Plan& plan, RandomKey key, Gates gates);
  std::vector<at::Tensor> gradients(Plan& plan);
  void record(Plan& plan, RandomKey key, Gates gates);

  TextModel& model_;
  Adam& adam_;
  std::vector<at::Tensor> parameters_;
  int64_t samples_;
  double clip_;
  struct Running;
  std::unique_ptr<Running> running_;
  std::map<Size, std::unique_ptr<Plan>> plans_;
};

}  // namespace hardkuma
