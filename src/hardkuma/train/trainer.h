#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "hardkuma/eval/evaluation.h"
#include "hardkuma/model/config.h"
#include "hardkuma/model/text_model.h"

namespace hardkuma {

/// Where training stands, after a step.
struct StepReport {
  int64_t epoch = 0;  ///< from 1
  int64_t epochs = 0;
  int64_t step = 0;  ///< of the epoch, from 1
  int64_t steps = 0;
  double loss = 0.0;  ///< running mean of the task loss
  double rate = 1.0;  ///< running mean of the expected selected share; 1 for full text
  double lambda = 0.0;
  double examples_per_second = 0.0;
  double seconds_left = 0.0;
};

/// A step with gates, as it was.
struct TracedStep {
  int64_t step = 0;   ///< of the run, from 0
  double rate = 0.0;  ///< expected, of its batch
  double goal = 0.0;
  double lambda = 0.0;
};

struct EpochReport {
  int64_t epoch = 0;
  int64_t epochs = 0;
  int64_t steps = 0;  ///< of the run so far
  double train_loss = 0.0;
  double train_rate = 1.0;
  double goal = 1.0;
  double lambda = 0.0;
  double learning_rate = 0.0;
  double threshold = 0.0;  ///< what dev was selected by, found on training texts; 0: none
  Evaluation dev;
  bool chosen = false;  ///< the best checkpoint so far
  std::vector<TracedStep> trace;
  std::string alarm;  ///< what has gone wrong with the selection and what to change, or ""
};

/// Hears of progress; a bar, a log and a test are equal users.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  virtual void on_step(const StepReport&) {}
  virtual void on_epoch(const EpochReport&) {}
};

/// Of recorded steps on a GPU.
struct GpuUse {
  int64_t kernels = 0;  ///< launched by the last of them
  double waited = 0.0;  ///< seconds that the processor waited for steps
};

struct TrainOutcome {
  bool finished = true;  ///< false: stopped on request, resumable
  EpochReport best;
  std::vector<EpochReport> epochs;
  GpuUse gpu;
  double threshold = 0.0;  ///< what the model selects by, see train.calibrate; 0: gate by gate
};

struct TrainJob {
  const Config& config;
  const std::vector<Example>& train;
  const std::vector<Example>& dev;
  std::shared_ptr<TextModel> model;
  std::filesystem::path directory;          ///< empty: nothing is written
  TrainObserver* observer = nullptr;        ///< may be null
  const std::atomic<bool>* stop = nullptr;  ///< set it to have training save and return
  bool resume = false;
  double checkpoint_seconds = 300.0;  ///< between checkpoints inside a long epoch
};

/// Trains to the end, or until stopped. On return the model holds the chosen checkpoint's weights,
/// also written as model.safetensors, and selects by the threshold found last, which is for the
/// caller to keep (train.calibrate); `checkpoint/` holds what resuming needs. The same seed,
/// workers and machine give the same bytes, however often the run was stopped or killed between.
/// A loss that is not finite or grows out of bounds is an InputError; what was written stays.
TrainOutcome train(const TrainJob& job);

}  // namespace hardkuma
