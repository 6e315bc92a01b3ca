#pragma once

#include <cstdint>
#include <vector>

#include "hardkuma/train/epoch_report.h"

namespace hardkuma {

/// How steps were done, for benchmarks.
struct EngineUse {
  int64_t kernels = 0;  ///< launched by the last recorded step
  double waited = 0.0;  ///< seconds that the processor waited for a GPU's steps
};

/// What training a network came to.
struct TrainOutcome {
  bool finished = true;  ///< false: stopped on request, resumable
  EpochReport best;
  std::vector<EpochReport> epochs;
  EngineUse use;
  double threshold = 0.0;  ///< what the model selects by, see train.calibrate; 0: gate by gate
};

}  // namespace hardkuma
