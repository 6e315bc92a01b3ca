#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "hardkuma/train/trainer.h"
#include "status_line.h"

namespace hardkuma {

/// Is the stream a terminal that wants colour (NO_COLOR unset)?
bool colour_terminal(int descriptor);

/// Training progress on stderr: on a terminal one redrawn line and a line per epoch, in a pipe a
/// line per epoch.
class ProgressBar final : public TrainObserver {
 public:
  struct Options {
    bool selects = false;  ///< show the share of the words that is shown to the classifier
    bool quiet = false;    ///< no line per epoch
    bool verbose = false;  ///< also the controller's goal, the expected rate and λ
    const Config* config = nullptr;  ///< of the run, to say if a chosen epoch is on target
  };
  ProgressBar(std::string title, Options options);

  void on_step(const StepReport& report) override;
  void on_epoch(const EpochReport& report) override;

 private:
  std::vector<std::string> head(const EpochReport& report) const;
  std::vector<std::string> row(const EpochReport& report) const;

  std::string title_;
  Options options_;
  bool begun_ = false;
  StatusLine line_;
  std::string alarm_;  // the last one shown
  std::chrono::steady_clock::time_point last_;
};

}  // namespace hardkuma
