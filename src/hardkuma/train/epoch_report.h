#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hardkuma/eval/evaluation.h"

namespace hardkuma {

/// The measurements of a step with gates.
struct TracedStep {
  int64_t step = 0;   ///< of the run, from 0
  double rate = 0.0;  ///< expected, of its batch
  double goal = 0.0;
  double lambda = 0.0;
};

/// An epoch's line in metrics.jsonl.
struct EpochReport {
  int64_t epoch = 0;
  int64_t epochs = 0;
  int64_t steps = 0;  ///< of the run so far
  double train_loss = 0.0;
  double train_rate = 1.0;
  double goal = 1.0;
  double lambda = 0.0;
  double learning_rate = 0.0;
  double threshold = 0.0;  ///< used on dev, found on training texts; 0: none
  Evaluation dev;
  bool chosen = false;  ///< the best checkpoint so far
  std::vector<TracedStep> trace;
  std::string alarm;  ///< what has gone wrong with the selection and what to change, or ""
};

nlohmann::ordered_json to_json(const EpochReport& report);
nlohmann::ordered_json to_json(const std::vector<TracedStep>& trace);

/// The inverses of to_json(); they throw nlohmann::json::exception.
EpochReport epoch_report_from_json(const nlohmann::ordered_json& json);
std::vector<TracedStep> trace_from_json(const nlohmann::ordered_json& json);

/// The text of metrics.jsonl.
std::string metrics_text(const std::vector<EpochReport>& epochs);

/// The epochs in a run's metrics.jsonl; none if it has no such file.
std::vector<EpochReport> read_metrics(const std::filesystem::path& directory);

}  // namespace hardkuma
