#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hardkuma/data/labels.h"
#include "hardkuma/eval/predictor.h"

namespace hardkuma {

/// Agreement of selected tokens with gold spans, over the examples that have any.
struct RationaleScores {
  int64_t examples = 0;
  double precision = 0.0;
  double recall = 0.0;
  double f1 = 0.0;
  double gold_share = 0.0;  ///< of the words
};

struct Evaluation {
  int64_t examples = 0;
  bool regression = false;
  double task_loss = 0.0;   ///< what checkpoints are chosen by: mean NLL or scaled squared error
  double metric = 0.0;      ///< accuracy, or MSE in the labels' own units
  double metric_low = 0.0;  ///< bootstrap 95% interval
  double metric_high = 0.0;
  double selected_micro = 0.0;  ///< selected words / words
  double selected_macro = 0.0;  ///< mean over texts of their share
  RationaleScores rationale;
};

/// `bootstrap` resamples for the interval; 0 leaves it out.
Evaluation summarise(const std::vector<Example>& set,
                     const std::vector<ExamplePrediction>& predictions, const TaskInfo& task,
                     int64_t bootstrap = 0);

/// The numbers as JSON text, without the interval: what an epoch's line and an evaluation share.
std::string to_json(const Evaluation& evaluation);

/// Mean of resampled means at 2.5% and 97.5%.
std::pair<double, double> bootstrap_interval(const std::vector<double>& values, int64_t resamples,
                                             uint64_t seed);

}  // namespace hardkuma
