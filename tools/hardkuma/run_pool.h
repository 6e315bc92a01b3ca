#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// A planned training in `directory`; its settings (.toml) and output (.log) are beside it.
struct WantedRun {
  std::string name;  ///< "hardkuma 20% seed 3"
  std::filesystem::path directory;
  Config config;
  std::string data;
  std::filesystem::path after = {};  ///< the directory of a run that has to finish first
};

struct PoolOptions {
  std::string device = "auto";
  int64_t jobs = 0;  ///< at a time; 0: one per core, on a GPU at most eight
  const std::atomic<bool>* stop = nullptr;
  std::function<std::string(const WantedRun&)> summary;  ///< of a run that has just finished
};

/// Names of runs and reasons, in the order in which they failed.
using Failures = std::vector<std::pair<std::string, std::string>>;

/// Trains the runs that are not finished, several at a time, each in a process of its own (this
/// program's `train`), with one progress display. Stopped runs are resumed. A run begun with other
/// settings is an InputError before anything starts. When stopped, it waits until all runs have
/// saved, then throws Interrupted; if this process is killed, the runs save by themselves. Returns
/// the failed runs with the reasons.
Failures train_all(const std::vector<WantedRun>& runs, const PoolOptions& options);

/// Throws an InputError with the first of the failures among `runs` runs, if there is one.
void throw_if_failed(const Failures& failures, size_t runs);

/// Throws if the data cannot be used by such a run. Called once, before any run starts.
void check_data(const std::string& data, Config config);

/// Did a run's training warn of anything?
bool warned(const std::filesystem::path& directory);

}  // namespace hardkuma
