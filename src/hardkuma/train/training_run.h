#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hardkuma/model/classifier.h"
#include "hardkuma/model/config.h"
#include "hardkuma/train/manifest.h"
#include "hardkuma/train/observer.h"
#include "hardkuma/train/outcome.h"
#include "hardkuma/train/prepare.h"

namespace hardkuma {

class Peers;

/// What a run came to, for its reports.
struct FinishedRun {
  std::string name;  ///< of its directory
  const Manifest& manifest;
  const Config& config;
  const Prepared& data;
  const TrainOutcome& outcome;
  const std::vector<NamedEvaluation>& splits;         ///< dev, and test where there is one
  const std::vector<ExamplePrediction>& predictions;  ///< of the last of them
};

struct RunOptions {
  std::string command = {};  ///< that begins it, for the manifest
  std::string data = {};     ///< the path it was asked to read
  at::Device device = at::kCPU;
  const std::atomic<bool>* stop = nullptr;
  bool force = false;  ///< create() replaces a run that is there
  double checkpoint_seconds = 300.0;
  Peers* peers = nullptr;  ///< other processes of this training; null: there are none
  /// Files to keep with a finished run, by name: its report.
  std::function<std::map<std::string, std::string>(const FinishedRun&)> reports = {};
};

struct RunOutcome {
  bool finished = true;  ///< false: stopped on request; resume() goes on
  TrainOutcome training;
  std::vector<NamedEvaluation> splits;  ///< measured with the chosen weights, where it finished
  std::vector<std::string> warnings;
};

/// A training into a directory, which it alone writes to: settings, vocabulary, weights, threshold,
/// checkpoint, metrics and manifest change together, once an epoch.
///
///   auto data = std::make_shared<Prepared>(prepare("reviews.csv", config));
///   TrainingRun run = TrainingRun::create("reviews.model", config, data);
///   const RunOutcome outcome = run.train(&progress_bar);
///
/// A run that was stopped or killed goes on:
///
///   TrainingRun::resume("reviews.model").train();
///
/// and comes to the same bytes as one that never was.
class TrainingRun {
 public:
  /// Claims the directory and writes what a resumed run needs. A directory that holds anything is
  /// an InputError, or with `force` one that holds anything but a run; so is one that another
  /// process trains into. With an empty path nothing is written.
  static TrainingRun create(const std::filesystem::path& directory, Config config,
                            std::shared_ptr<const Prepared> data, RunOptions options = {});

  /// Goes on with its settings, on its data. Damaged files and other data are InputErrors.
  static TrainingRun resume(const std::filesystem::path& directory,
                            std::shared_ptr<const Prepared> data, RunOptions options = {});
  static TrainingRun resume(const std::filesystem::path& directory, RunOptions options = {});

  TrainingRun(TrainingRun&&) noexcept;
  ~TrainingRun();

  /// Had it finished before it was resumed? train() then returns what it came to.
  bool finished() const;

  /// To the end, or until stopped. Once.
  RunOutcome train(TrainObserver* observer = nullptr);

  const Config& config() const;
  const Prepared& data() const;

  /// What was trained; after train() has finished.
  Classifier& classifier();

 private:
  class Impl;
  explicit TrainingRun(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// The settings of a run, as resume() would use them: what training finds is left out.
Config stored_config(const std::filesystem::path& directory);

}  // namespace hardkuma
