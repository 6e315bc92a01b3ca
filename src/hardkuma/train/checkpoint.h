#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hardkuma/model/safetensors.h"
#include "hardkuma/model/text_model.h"
#include "hardkuma/train/adam.h"
#include "hardkuma/train/epoch_report.h"
#include "hardkuma/train/objective.h"
#include "hardkuma/train/schedule.h"

namespace hardkuma {

/// The progress of a run, without its tensors.
struct TrainState {
  int64_t epoch = 0;  ///< epochs done
  int64_t step = 0;   ///< steps done of the next one
  double loss_sum = 0.0;
  double rate_sum = 0.0;
  int64_t seen = 0;
  double loss_average = 0.0;
  RunningMean baseline;  ///< of the costs, for REINFORCE
  Schedule::State schedule;
  std::map<std::string, double> controller;
  std::vector<TracedStep> trace;  ///< of the epoch
};

/// The parts of a training that a checkpoint saves and restores.
struct CheckpointParts {
  TrainState& state;
  std::vector<EpochReport>& epochs;
  TextModel& model;
  Adam& adam;
};

/// Everything that is needed to resume a training.
TensorFile checkpoint_of(const CheckpointParts& parts);

/// Restores a checkpoint; an InputError naming `path` if it is another run's.
void restore(const TensorFile& checkpoint, const CheckpointParts& parts, const std::string& path);

}  // namespace hardkuma
