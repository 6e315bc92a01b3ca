#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "hardkuma/data/dataset.h"
#include "hardkuma/eval/evaluation.h"
#include "hardkuma/model/config.h"
#include "hardkuma/model/prediction.h"
#include "hardkuma/train/observer.h"

namespace hardkuma {

/// The demonstration on the embedded tasting notes, for the command and for the test that a planted
/// rationale is found.
struct DemoOptions {
  double target = 0.15;
  int64_t count = 2000;  ///< reviews to train on
  int64_t seed = 1;
  int64_t workers = 0;
  std::filesystem::path directory;  ///< empty: nothing is written; else a model per aspect
  bool force = false;               ///< replaces existing runs
  const std::atomic<bool>* stop = nullptr;
};

struct DemoAspect {
  std::string name;
  bool finished = true;  ///< false: stopped, and not measured
  double target = 0.0;
  Evaluation test;       ///< of the model that selects
  Evaluation full_text;  ///< of the full-text model trained beside it
  double train_seconds = 0.0;
  TaskInfo task;
  std::vector<std::pair<Example, ExamplePrediction>> examples;  ///< a few test reviews
};

/// Tasting notes as a data set labelled by one aspect: `count` to train on, 500 dev, 1,000 test.
struct TastingDataset {
  std::string aspect = "look";
  int64_t count = 2000;
  int64_t seed = 1;
  double correlation = 0.3;
  int64_t comparisons = 0;
  bool scores = false;  ///< labelled by the score instead of its class
};
RawDataset tasting_dataset(const TastingDataset& wanted);

/// The default preset with the demonstration's options.
Config demo_config(const std::string& aspect, const DemoOptions& options);

/// Trains both models on one aspect and measures them on the test notes. Observers may be null.
DemoAspect run_demo_aspect(const std::string& aspect, const DemoOptions& options,
                           TrainObserver* full_text_observer, TrainObserver* observer);

}  // namespace hardkuma
