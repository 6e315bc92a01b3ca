#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hardkuma/train/adam.h"
#include "hardkuma/train/objective.h"
#include "hardkuma/train/schedule.h"
#include "hardkuma/train/trainer.h"

namespace hardkuma {

/// Where a run stands, besides its tensors.
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

/// The pieces of a running training that go into a checkpoint and come back from it.
struct CheckpointParts {
  TrainState& state;
  std::vector<EpochReport>& epochs;
  TextModel& model;
  Adam& adam;
};

/// One file, checkpoint/state.safetensors, replaced whole; and metrics.jsonl, a line an epoch.
void write_checkpoint(const std::filesystem::path& directory, const CheckpointParts& parts);

/// False if there is none yet.
bool read_checkpoint(const std::filesystem::path& directory, const CheckpointParts& parts);

/// An epoch as a line of metrics.jsonl.
std::string to_json(const EpochReport& report);

/// The epochs of a run by its metrics.jsonl; none if it has no such file.
std::vector<EpochReport> read_metrics(const std::filesystem::path& directory);

}  // namespace hardkuma
