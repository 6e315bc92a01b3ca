#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hardkuma/error.h"
#include "hardkuma/evaluation.h"
#include "hardkuma/token.h"

namespace hardkuma {

/// Training progress after a step.
struct StepReport {
  int64_t epoch = 0;  ///< from 1
  int64_t epochs = 0;
  int64_t step = 0;  ///< of the epoch, from 1
  int64_t steps = 0;
  double loss = 0.0;  ///< running mean of the task loss
  double rate = 1.0;  ///< running mean of the expected selected share; 1 for full text
  double lambda = 0.0;
  double examples_per_second = 0.0;
  double seconds_left = 0.0;
};

/// Results of an epoch.
struct EpochSummary {
  int64_t epoch = 0;  ///< from 1
  int64_t epochs = 0;
  double train_loss = 0.0;
  Evaluation dev;
  bool chosen = false;  ///< the best so far
  std::string warning;  ///< what has gone wrong with the selection and what to change, or ""
};

/// Receives progress reports, in the thread that trains.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_step(const StepReport&) {}
  virtual void on_epoch(const EpochSummary&) {}
};

/// A text, or pair of texts, and its label: a class, or a number.
struct LabelledText {
  std::string text;
  std::string label;
  std::string second = {};          ///< for models of pairs
  std::vector<CharSpan> gold = {};  ///< the annotated evidence, if any
  bool has_gold = false;            ///< annotated, even if no evidence was found
};

struct TrainOptions {
  std::string preset = "default";
  /// Override the preset; named as in `hardkuma train --dump-config`: {"objective.target", "15%"}.
  std::map<std::string, std::string> settings = {};
  std::string device = "auto";  ///< auto, cpu or cuda
  bool resume = false;          ///< continue an existing run, with its stored settings
  bool force = false;           ///< replace an existing run
  Observer* observer = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< when true, training saves and returns
};

struct TrainResult {
  bool finished = true;                 ///< false: stopped on request
  int64_t epoch = 0;                    ///< of the chosen checkpoint
  std::vector<NamedEvaluation> splits;  ///< dev, and test if there is one
  std::vector<std::string> warnings;
};

/// Trains a model and saves it in `directory`. The data is a file or directory, as for the command,
/// or texts in memory, of which a share is held out as dev and test. `resume` continues a run that
/// was stopped or killed. Throws Error.
///
///   hardkuma::train("reviews.csv", "reviews.model", {.settings = {{"objective.target", "15%"}}});
TrainResult train(const std::string& data, const std::filesystem::path& directory,
                  const TrainOptions& options = {});
TrainResult train(const std::vector<LabelledText>& data, const std::filesystem::path& directory,
                  const TrainOptions& options = {});

}  // namespace hardkuma
