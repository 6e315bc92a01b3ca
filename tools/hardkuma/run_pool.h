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
/// anything is started. Says so and throws Interrupted when stopped, after all have saved where
/// they are; killed outright, they save by themselves. Returns which runs failed, and why.
Failures train_all(const std::vector<WantedRun>& runs, const PoolOptions& options);

/// Throws an InputError with the first failure of so many runs, if there is one.
void throw_if_failed(const Failures& failures, size_t runs);

/// Throws what is wrong with the data of such a run: once, before any is started.
void check_data(const std::string& data, Config config);

/// Did a run's training warn of anything?
bool warned(const std::filesystem::path& directory);

}  // namespace hardkuma
