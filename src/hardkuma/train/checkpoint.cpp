#include "hardkuma/train/checkpoint.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/model/safetensors.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path state_path(const fs::path& directory) {
  return directory / "checkpoint" / "state.safetensors";
}

// [[step, rate, goal, lambda], …]; six digits are enough to draw.
Json trace_json(const std::vector<TracedStep>& trace) {
  const auto brief = [](double x) { return std::stod(fmt::format("{:.6g}", x)); };
  Json out = Json::array();
  for (const TracedStep& t : trace) {
    out.push_back({t.step, brief(t.rate), brief(t.goal), brief(t.lambda)});
  }
  return out;
}

std::vector<TracedStep> trace_from(const Json& in) {
  std::vector<TracedStep> out;
  for (const Json& t : in) out.push_back({t.at(0), t.at(1), t.at(2), t.at(3)});
  return out;
}

Json report_json(const EpochReport& r) {
  Json out = {{"epoch", r.epoch},           {"epochs", r.epochs},
              {"steps", r.steps},           {"train_loss", r.train_loss},
              {"train_rate", r.train_rate}, {"goal", r.goal},
              {"lambda", r.lambda},         {"learning_rate", r.learning_rate},
              {"threshold", r.threshold},   {"dev", Json::parse(to_json(r.dev))},
              {"chosen", r.chosen}};
  if (!r.trace.empty()) out["trace"] = trace_json(r.trace);
  if (!r.alarm.empty()) out["alarm"] = r.alarm;
  return out;
}

EpochReport report_from(const Json& in) {
  EpochReport r;
  r.epoch = in.at("epoch");
  r.epochs = in.at("epochs");
  r.steps = in.value("steps", int64_t{0});
  r.train_loss = in.at("train_loss");
  r.train_rate = in.at("train_rate");
  r.goal = in.at("goal");
  r.lambda = in.at("lambda");
  r.learning_rate = in.at("learning_rate");
  r.threshold = in.value("threshold", 0.0);
  r.dev = evaluation_from_json(in.at("dev").dump());
  r.chosen = in.at("chosen");
  if (in.contains("trace")) r.trace = trace_from(in["trace"]);
  r.alarm = in.value("alarm", "");
  return r;
}

}  // namespace

std::string to_json(const EpochReport& report) {
  return report_json(report).dump();
}

std::vector<EpochReport> read_metrics(const fs::path& directory) {
  const fs::path path = directory / "metrics.jsonl";
  std::vector<EpochReport> out;
  if (!fs::exists(path)) return out;
  std::istringstream lines(read_file(path));
  for (std::string line; std::getline(lines, line);) {
    try {
      out.push_back(report_from(Json::parse(line)));
    } catch (const nlohmann::json::exception&) {
      throw InputError("{}:{}: not an epoch of this version", path.string(), out.size() + 1);
    }
  }
  return out;
}

void write_checkpoint(const fs::path& directory, const CheckpointParts& parts) {
  const TrainState& s = parts.state;
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
  std::string metrics;
  for (const EpochReport& report : parts.epochs) {
    epochs.push_back(report_json(report));
    metrics += to_json(report) + "\n";
  }
  const Json state = {{"epoch", s.epoch},
                      {"step", s.step},
                      {"loss_sum", s.loss_sum},
                      {"rate_sum", s.rate_sum},
                      {"seen", s.seen},
                      {"loss_average", s.loss_average},
                      {"baseline", {s.baseline.sum, s.baseline.weight}},
                      {"schedule", {s.schedule.rate, s.schedule.best, s.schedule.waited}},
                      {"controller", s.controller},
                      {"trace", trace_json(s.trace)},
                      {"adam_steps", adam_steps},
                      {"epochs", epochs}};
  file.metadata["state"] = state.dump();
  fs::create_directories(directory / "checkpoint");
  write_file(directory / "metrics.jsonl", metrics);
  write_safetensors(state_path(directory), file);
}

bool read_checkpoint(const fs::path& directory, const CheckpointParts& parts) {
  const fs::path path = state_path(directory);
  if (!fs::exists(path)) return false;
  const TensorFile file = read_safetensors(path);
  const auto foreign = [&] {
    return InputError("{}: not a checkpoint of this run", path.string());
  };
  const auto text = file.metadata.find("state");
  if (text == file.metadata.end()) throw foreign();
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, tensor] : file.tensors) {
    if (name.starts_with("model.")) weights[name.substr(6)] = tensor;
  }
  load_weights(parts.model, weights, path.string());
  try {
    const Json state = Json::parse(text->second);
    TrainState& s = parts.state;
    s.epoch = state.at("epoch");
    s.step = state.at("step");
    s.loss_sum = state.at("loss_sum");
    s.rate_sum = state.at("rate_sum");
    s.seen = state.at("seen");
    s.loss_average = state.at("loss_average");
    s.baseline.sum = state.at("baseline").at(0);
    s.baseline.weight = state.at("baseline").at(1);
    s.schedule = {state.at("schedule").at(0), state.at("schedule").at(1),
                  state.at("schedule").at(2)};
    s.controller = state.at("controller").get<std::map<std::string, double>>();
    if (state.contains("trace")) s.trace = trace_from(state["trace"]);
    parts.epochs.clear();
    for (const Json& report : state.at("epochs")) parts.epochs.push_back(report_from(report));
    for (size_t i = 0; i < parts.adam.states().size(); ++i) {
      Adam::State& adam = parts.adam.states()[i];
      const at::Tensor& m = file.tensors.at(fmt::format("adam.m.{}", i));
      const at::Tensor& v = file.tensors.at(fmt::format("adam.v.{}", i));
      if (m.sizes() != adam.m.sizes() || v.sizes() != adam.v.sizes() ||
          m.scalar_type() != at::kFloat || v.scalar_type() != at::kFloat) {
        throw foreign();
      }
      adam = {state.at("adam_steps").at(i), m.to(adam.m.device()), v.to(adam.v.device())};
    }
  } catch (const nlohmann::json::exception&) {
    throw foreign();
  } catch (const std::out_of_range&) {
    throw foreign();
  }
  return true;
}

}  // namespace hardkuma
