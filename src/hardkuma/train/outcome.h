#pragma once

#include <cstdint>
#include <vector>

#include "hardkuma/train/epoch_report.h"

namespace hardkuma {

/// Statistics of the steps, for benchmarks.
struct EngineUse {
  int64_t kernels = 0;  ///< launched by the last recorded step
  double waited = 0.0;  ///< seconds that the CPU waited for a GPU's steps
};

/// The result of training a network.
struct TrainOutcome {
  bool finished = true;  ///< false: stopped on request, resumable
  EpochReport best;
  std::vector<EpochReport> epochs;
  EngineUse use;
  double threshold = 0.0;    ///< the model's threshold, see train.calibrate; 0: none
  double temperature = 1.0;  ///< of the model's probabilities, see train.temperature
};

}  // namespace hardkuma
