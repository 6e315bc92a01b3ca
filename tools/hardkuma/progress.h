#pragma once

#include <chrono>
#include <string>

#include "hardkuma/train/trainer.h"
#include "status_line.h"

namespace hardkuma {

/// Is the stream a terminal that wants colour (NO_COLOR unset)?
bool colour_terminal(int descriptor);

/// Training progress on stderr: on a terminal one redrawn line and a line per epoch, in a pipe a
/// line per epoch.
class ProgressBar final : public TrainObserver {
 public:
  /// `selects`: show the rate. `quiet`: no line per epoch.
  explicit ProgressBar(std::string title, bool selects, bool quiet = false);

  void on_step(const StepReport& report) override;
  void on_epoch(const EpochReport& report) override;

 private:
  std::string title_;
  bool selects_;
  bool quiet_;
  StatusLine line_;
  std::string alarm_;  // as it was last said
  std::chrono::steady_clock::time_point last_;
};

}  // namespace hardkuma
