#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hardkuma/eval/evaluation.h"

namespace hardkuma {

enum class RunStatus { Running, Stopped, Finished };

/// The results of a finished run.
struct RunResults {
  int64_t epoch = 0;                              ///< the chosen one; 0 where there are no epochs
  std::map<std::string, Evaluation> splits = {};  ///< "dev", perhaps "test"
  std::optional<double> target = {};              ///< where words are selected
  std::optional<double> threshold = {};           ///< where one was found
  /// The share of dev that the chosen epoch selected with its own threshold (micro and macro).
  std::optional<std::map<std::string, double>> before_calibration = {};

  /// The split a run is judged by: test, or dev where there is no test.
  const std::string& judged_by() const;
};

/// The content of a run's manifest.json.
struct Manifest {
  std::string version = {};
  std::string command = {};
  std::string data = {};
  int64_t seed = 0;
  std::map<std::string, std::string> fingerprints = {};  ///< of the data and vector files
  RunStatus status = RunStatus::Running;
  int64_t epochs_done = 0;
  std::vector<std::string> warnings = {};
  std::optional<RunResults> results = {};  ///< once finished
};

nlohmann::ordered_json to_json(const Manifest& manifest);

/// The manifest of a directory; none if it has none. A damaged one is an InputError.
std::optional<Manifest> read_manifest(const std::filesystem::path& directory);

/// Is there a run, and did it finish?
bool is_finished(const std::filesystem::path& directory);

}  // namespace hardkuma
