#pragma once

#include <map>
#include <memory>
#include <optional>
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
  double norm = 0.0;    ///< of the gradient: the largest since Adam was last asked
  int64_t kernels = 0;  ///< launched, if it was recorded
  double waited = 0.0;  ///< seconds until it was over
};

/// Training steps of a recordable model on a GPU, queued without waiting for them. A step is a
/// hundred small pieces of work, and a processor takes longer to hand them over than a GPU to do
/// them: batches are given room to one of a few sizes, the work for a size is recorded when it
/// comes the second time and from then on handed over in one piece. What varies from step to step
/// (the batch, the random key, the weights of the loss, Adam's rates) goes into the GPU's memory
/// in one copy.
class GpuSteps {
 public:
  GpuSteps(TextModel& model, Adam& adam, std::vector<at::Tensor> parameters, int64_t samples);
  ~GpuSteps();

  struct Weights {
    double task = 1.0;
    Controller::Weights others;
  };

  /// Queues a step over a batch that is on the CPU. The last one must have been waited for.
  void queue(const Batch& batch, RandomKey key, Gates gates, const Weights& weights,
             double learning_rate, double clip);

  /// What the queued step measured.
  StepSums wait();

  /// Nothing may be queued: recorded work is thrown away, for the model has changed its ways.
  void forget();

 private:
  struct Plan;
  using Size = std::tuple<Gates, int64_t, int64_t, int64_t>;  // texts, rows, cells

  std::vector<at::Tensor> pass(Plan& plan, RandomKey key, Gates gates);
  bool recorded(Plan& plan, RandomKey key, Gates gates, double clip);

  TextModel& model_;
  Adam& adam_;
  std::vector<at::Tensor> parameters_;
  int64_t samples_;
  std::map<Size, std::unique_ptr<Plan>> plans_;
  struct Running;
  std::unique_ptr<Running> running_;
};

}  // namespace hardkuma
