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

/// The results of a run, for its reports.
struct FinishedRun {
  std::string name;  ///< of its directory
  const Manifest& manifest;
  const Config& config;
  const Prepared& data;
  const TrainOutcome& outcome;
  const std::vector<NamedEvaluation>& splits;         ///< dev, and test where there is one
  const std::vector<ExamplePrediction>& predictions;  ///< of the last split
};

struct RunOptions {
  std::string command = {};  ///< that started it, for the manifest
  std::string data = {};     ///< the path of the data as given
  at::Device device = at::kCPU;
  const std::atomic<bool>* stop = nullptr;
  bool force = false;  ///< create() replaces an existing run
  double checkpoint_seconds = 300.0;
  Peers* peers = nullptr;  ///< other processes of this training; null: there are none
  /// Files to keep with a finished run, by name: its report.
  std::function<std::map<std::string, std::string>(const FinishedRun&)> reports = {};
};

struct RunOutcome {
  bool finished = true;  ///< false: stopped on request, resumable
  TrainOutcome training;
  std::vector<NamedEvaluation> splits;  ///< with the chosen weights; empty if stopped
  std::vector<std::string> warnings;
};

/// A training with its output directory, which it locks. Settings, vocabulary, weights, threshold,
/// checkpoint, metrics and manifest are committed together, at least once per epoch.
///
///   auto data = std::make_shared<Prepared>(prepare("reviews.csv", config));
///   TrainingRun run = TrainingRun::create("reviews.model", config, data);
///   const RunOutcome outcome = run.train(&progress_bar);
///
/// A run that was stopped or killed is resumed by
///
///   TrainingRun::resume("reviews.model").train();
///
/// On the CPU this gives the same bytes as an uninterrupted run.
class TrainingRun {
 public:
  /// Locks the directory and writes what a resumed run needs. A directory that is not empty is an
  /// InputError, unless `force` is set and it holds a run; so is one in which another process
  /// trains. With an empty path nothing is written.
  static TrainingRun create(const std::filesystem::path& directory, Config config,
                            std::shared_ptr<const Prepared> data, RunOptions options = {});

  /// Resumes a run with its own settings and data. Damaged files and other data are InputErrors.
  static TrainingRun resume(const std::filesystem::path& directory,
                            std::shared_ptr<const Prepared> data, RunOptions options = {});
  static TrainingRun resume(const std::filesystem::path& directory, RunOptions options = {});

  TrainingRun(TrainingRun&&) noexcept;
  ~TrainingRun();

  /// Was the run finished before it was resumed? Then train() returns its results.
  bool finished() const;

  /// Trains to the end, or until stopped. Call it once.
  RunOutcome train(TrainObserver* observer = nullptr);

  const Config& config() const;
  const Prepared& data() const;

  /// The trained model, once train() has finished.
  Classifier& classifier();

 private:
  class Impl;
  explicit TrainingRun(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

/// The settings of a run, as resume() uses them: without the threshold that training found.
Config stored_config(const std::filesystem::path& directory);

}  // namespace hardkuma
