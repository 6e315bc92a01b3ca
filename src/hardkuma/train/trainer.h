#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hardkuma/model/config.h"
#include "hardkuma/model/safetensors.h"
#include "hardkuma/train/observer.h"
#include "hardkuma/train/outcome.h"

namespace hardkuma {

class TextModel;
class Peers;

using Weights = std::map<std::string, at::Tensor>;

/// Stores the checkpoints of a training, in case it is killed. TrainingRun is one.
class TrainStore {
 public:
  virtual ~TrainStore() = default;

  struct Checkpoint {
    const TensorFile& state;
    const std::vector<EpochReport>& epochs;
    const Weights* chosen;  ///< new chosen weights; null: unchanged
  };
  virtual void save(const Checkpoint& checkpoint) = 0;

  /// The checkpoint of an earlier part of this training, if any; `name` is for messages.
  struct Saved {
    TensorFile state;
    Weights chosen;  ///< empty before the first epoch
    std::string name;
  };
  virtual std::optional<Saved> load() = 0;

  /// For messages: what is kept after a failure.
  virtual std::string kept() const { return ""; }
};

struct TrainJob {
  const Config& config;
  const std::vector<Example>& train;
  const std::vector<Example>& dev;
  std::shared_ptr<TextModel> model;
  TrainStore* store = nullptr;              ///< null: no checkpoints
  TrainObserver* observer = nullptr;        ///< may be null
  const std::atomic<bool>* stop = nullptr;  ///< set it to have training save and return
  double checkpoint_seconds = 300.0;        ///< between checkpoints inside a long epoch
  Peers* peers = nullptr;                   ///< null: a single process
};

/// Trains to the end, or until stopped, starting at the store's checkpoint if there is one. When it
/// finishes, the model has the chosen epoch's weights and the calibrated threshold. The same seed,
/// workers and machine give the same bytes, on the CPU also if the run was stopped or killed. A
/// training that diverges is an InputError; what was saved is kept.
TrainOutcome train_network(const TrainJob& job);

}  // namespace hardkuma
