#include "hardkuma/train/checkpoint.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include "hardkuma/common/error.h"
#include "hardkuma/common/json.h"
#include "hardkuma/common/json_fields.h"

namespace hardkuma {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

// All fields but the trace.
template <typename Self, typename Visit>
requires std::is_same_v<std::remove_const_t<Self>, TrainState>
void each_field(Self& s, const Visit& visit) {
  visit("epoch", s.epoch);
  visit("step", s.step);
  visit("loss_sum", s.loss_sum);
  visit("rate_sum", s.rate_sum);
  visit("seen", s.seen);
  visit("loss_average", s.loss_average);
  visit("baseline_sum", s.baseline.sum);
  visit("baseline_weight", s.baseline.weight);
  visit("learning_rate", s.schedule.rate);
  visit("best_loss", s.schedule.best);
  visit("epochs_waited", s.schedule.waited);
  visit("controller", s.controller);
}

TensorFile checkpoint_of(const CheckpointParts& parts) {
  TensorFile file;
  for (const auto& [name, weight] : named_weights(parts.model))
    file.tensors["model." + name] = weight;
  Json adam_steps = Json::array();
  for (size_t i = 0; i < parts.adam.states().size(); ++i) {
    const Adam::State& state = parts.adam.states()[i];
    adam_steps.push_back(state.steps);
    file.tensors[fmt::format("adam.m.{}", i)] = state.m.to(at::kCPU);
    file.tensors[fmt::format("adam.v.{}", i)] = state.v.to(at::kCPU);
  }
  Json epochs = Json::array();
  for (const EpochReport& report : parts.epochs) epochs.push_back(to_json(report));
  Json state = fields_to_json(parts.state);
  state["trace"] = to_json(parts.state.trace);
  state["adam_steps"] = adam_steps;
  state["epochs"] = epochs;
  file.metadata["state"] = state.dump();
  return file;
}

void restore(const TensorFile& file, const CheckpointParts& parts, const std::string& path) {
  const auto foreign = [&] { return InputError("{}: not a checkpoint of this run", path); };
  const auto text = file.metadata.find("state");
  if (text == file.metadata.end()) throw foreign();
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, tensor] : file.tensors) {
    if (name.starts_with("model.")) weights[name.substr(6)] = tensor;
  }
  load_weights(parts.model, weights, path);
  try {
    const Json state = try_parse_json(text->second);
    state.at("learning_rate");  // throws if it is of another version
    fields_from_json(state, parts.state);
    parts.state.trace = trace_from_json(state.at("trace"));
    parts.epochs.clear();
    for (const Json& report : state.at("epochs")) {
      parts.epochs.push_back(epoch_report_from_json(report));
    }
    for (size_t i = 0; i < parts.adam.states().size(); ++i) {
      Adam::State& adam = parts.adam.states()[i];
      const at::Tensor& m = file.tensors.at(fmt::format("adam.m.{}", i));
      const at::Tensor& v = file.tensors.at(fmt::format("adam.v.{}", i));
      if (m.sizes() != adam.m.sizes() || v.sizes() != adam.v.sizes() ||
          m.scalar_type() != at::kFloat || v.scalar_type() != at::kFloat) {
        throw foreign();
      }
      const int64_t steps = whole_number(state.at("adam_steps").at(i));
      if (steps < 0) throw foreign();
      adam = {steps, m.to(adam.m.device()), v.to(adam.v.device())};
    }
  } catch (const nlohmann::json::exception&) {
    throw foreign();
  } catch (const std::out_of_range&) {
    throw foreign();
  }
}

}  // namespace hardkuma
