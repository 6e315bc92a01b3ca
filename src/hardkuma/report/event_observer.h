#pragma once

#include <filesystem>
#include <optional>

#include "hardkuma/report/event_file.h"
#include "hardkuma/train/observer.h"
#include "hardkuma/train/run_directory.h"

namespace hardkuma {

/// Writes a training's numbers for TensorBoard into the run's directory.
class EventObserver final : public TrainObserver {
 public:
  explicit EventObserver(std::filesystem::path run) : directory_(run / kEventFolder) {}

  void on_epoch(const EpochReport& report) override;

 private:
  std::filesystem::path directory_;
  std::optional<EventFile> events_;  // from the first epoch on
};

}  // namespace hardkuma
