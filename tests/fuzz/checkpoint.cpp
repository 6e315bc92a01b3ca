// What a checkpoint says of where training stood, with the tensors of a checkpoint as they were.
#include "hardkuma/train/checkpoint.h"

#include <ATen/Functions.h>

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "hardkuma/model/make_model.h"

using namespace hardkuma;

namespace {

struct Training {
  TrainState state;
  std::vector<EpochReport> epochs;
  std::shared_ptr<TextModel> model;
  Adam adam;

  Training() : model(make_model(small(), at::zeros({5, 4}))), adam(weights(), 0.0) {}
  CheckpointParts parts() { return {state, epochs, *model, adam}; }

 private:
  static Config small() {
    Config config;
    config.model.hidden = 4;
    config.model.embedding = 4;
    config.task.labels = {"bad", "good"};
    return config;
  }
  std::vector<at::Tensor> weights() const {
    std::vector<at::Tensor> out;
    for (const auto& [name, weight] : named_weights(*model)) out.push_back(weight);
    return out;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Training training;
  static TensorFile file = checkpoint_of(training.parts());
  file.metadata["state"] = fuzz::as_text(data, size);
  return fuzz::read_or_refuse([&] {
    restore(file, training.parts(), "f");
    checkpoint_of(training.parts());
  });
}
