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

/// Keeps what a training would lose if it were killed; TrainingRun is one.
class TrainStore {
 public:
  virtual ~TrainStore() = default;

  struct Checkpoint {
    const TensorFile& state;
    const std::vector<EpochReport>& epochs;
    const Weights* chosen;  ///< the weights that the last epoch chose; null: those before
  };
  virtual void save(const Checkpoint& checkpoint) = 0;

  /// What an earlier part of this training left; none: there was none. Messages call it by name.
  struct Saved {
    TensorFile state;
    Weights chosen;  ///< empty before the first epoch
    std::string name;
  };
  virtual std::optional<Saved> load() = 0;

  /// For messages: what is left after a failure.
  virtual std::string kept() const { return ""; }
};

struct TrainJob {
  const Config& config;
  const std::vector<Example>& train;
  const std::vector<Example>& dev;
  std::shared_ptr<TextModel> model;
  TrainStore* store = nullptr;              ///< null: nothing is kept
  TrainObserver* observer = nullptr;        ///< may be null
  const std::atomic<bool>* stop = nullptr;  ///< set it to have training save and return
  double checkpoint_seconds = 300.0;        ///< between checkpoints inside a long epoch
  Peers* peers = nullptr;                   ///< null: this process is alone
};

/// Trains to the end, or until stopped, from where the store's checkpoint stands. On return the
/// model holds the chosen epoch's weights and selects by the threshold found last. The same seed,
/// workers and machine give the same bytes, however often the run was stopped or killed between.
/// A training that diverges is an InputError; what was saved stays.
TrainOutcome train_network(const TrainJob& job);

}  // namespace hardkuma
