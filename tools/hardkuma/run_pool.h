#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// A training that is wanted, in `directory`; beside it lie its settings (.toml) and what it says
/// (.log).
struct WantedRun {
  std::string name;  ///< "hardkuma 20% seed 3"
  std::filesystem::path directory;
  Config config;
  std::string data;
  std::filesystem::path after = {};  ///< the directory of another that has to be finished first
};

struct PoolOptions {
  std::string device = "auto";
  int64_t jobs = 0;  ///< at a time; 0: one per core, on a GPU at most eight
  const std::atomic<bool>* stop = nullptr;
  std::function<std::string(const WantedRun&)> summary;  ///< of a run that has just finished
};

/// Names of runs and reasons, in the order in which they failed.
using Failures = std::vector<std::pair<std::string, std::string>>;

/// Trains the runs that are not finished yet, several at a time, each in a process of its own (this
/// program's `train`), with one display for all of them. What is finished is not trained again and
/// what was stopped goes on; runs that were begun with other settings are an InputError before
/// anything is started. Throws Interrupted when stopped, after all have saved where they are;
/// killed outright, they save by themselves. Returns which runs failed, and why.
Failures train_all(const std::vector<WantedRun>& runs, const PoolOptions& options);

/// What a run's training warned of.
std::vector<std::string> warnings_of(const std::filesystem::path& directory);

}  // namespace hardkuma
