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

/// Where training stands, after a step.
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

/// What an epoch came to.
struct EpochSummary {
  int64_t epoch = 0;  ///< from 1
  int64_t epochs = 0;
  double train_loss = 0.0;
  Evaluation dev;
  bool chosen = false;  ///< the best so far
  std::string warning;  ///< what has gone wrong with the selection and what to change, or ""
};

/// Hears of progress, in the thread that trains.
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
  std::vector<CharSpan> gold = {};  ///< the annotated evidence, where there is any
  bool has_gold = false;            ///< annotated, also where no evidence was found
};

struct TrainOptions {
  std::string preset = "default";
  /// Over the preset, as `hardkuma train --dump-config` names them: {"objective.target", "15%"}.
  std::map<std::string, std::string> settings = {};
  std::string device = "auto";  ///< auto, cpu or cuda
  bool resume = false;          ///< go on with a run that is there; its own settings count
  bool force = false;           ///< replace a run that is there
  Observer* observer = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< set it to have training save and return
};

struct TrainResult {
  bool finished = true;                 ///< false: stopped
  int64_t epoch = 0;                    ///< the chosen one
  std::vector<NamedEvaluation> splits;  ///< dev, and test where there is one
  std::vector<std::string> warnings;
};

/// Trains a model into a directory: from a file or directory, as the command takes them, or from
/// memory, where a share of the texts is held out as dev and test. A run that was stopped or killed
/// goes on with `resume`. Throws Error.
///
///   hardkuma::train("reviews.csv", "reviews.model", {.settings = {{"objective.target", "15%"}}});
TrainResult train(const std::string& data, const std::filesystem::path& directory,
                  const TrainOptions& options = {});
TrainResult train(const std::vector<LabelledText>& data, const std::filesystem::path& directory,
                  const TrainOptions& options = {});

}  // namespace hardkuma
