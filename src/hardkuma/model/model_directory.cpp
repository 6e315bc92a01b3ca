#include "hardkuma/model/model_directory.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/model/pair_model.h"
#include "hardkuma/model/rationale_model.h"
#include "hardkuma/model/safetensors.h"

namespace hardkuma {

namespace fs = std::filesystem;

namespace {

SelectorKind selector_kind(const std::string& kind) {
  if (kind == "hardkuma") return SelectorKind::HardKuma;
  if (kind == "bernoulli") return SelectorKind::Bernoulli;
  if (kind == "hard-concrete") return SelectorKind::HardConcrete;
  if (kind == "attention") return SelectorKind::Attention;
  if (kind == "full-text") return SelectorKind::None;
  throw InternalError("[make_model] no network for a model of kind {}", kind);
}

bool trains_embedding(const Config& config) {
  return config.data.vectors.empty() || config.model.train_vectors;
}

void copy_weight(at::Tensor& here, const at::Tensor& theirs, const std::string& name,
                 const std::string& path) {
  if (theirs.sizes() != here.sizes()) {
    throw InputError("{}: tensor \"{}\" is [{}], the settings ask for [{}]", path, name,
                     fmt::join(theirs.sizes(), ", "), fmt::join(here.sizes(), ", "));
  }
  here.copy_(theirs);
}

PairModelOptions pair_options(const Config& config) {
  PairModelOptions options;
  options.kind = config.model.kind == "lstm-pair" ? PairKind::Lstm
                 : config.model.kind == "da"      ? PairKind::Attention
                                                  : PairKind::HardKuma;
  options.outputs = config.task.outputs();
  options.hidden = config.model.hidden;
  options.dropout = config.model.dropout;
  options.train_embedding = trains_embedding(config);
  options.links = config.model.links == "none" ? Links::None : Links::Softmax;
  options.shapes = config.model.shapes == "relu" ? Shapes::Relu : Shapes::Bias;
  options.intra = config.model.intra;
  return options;
}

}  // namespace

Choice choice_of(const Config& config) {
  Choice choice;
  choice.decision = config.model.decision == "argmax" ? Decision::Argmax : Decision::Binary;
  choice.threshold = config.model.threshold;
  return choice;
}

std::shared_ptr<TextModel> make_model(const Config& config, at::Tensor embedding) {
  const RandomKey key(static_cast<uint64_t>(config.train.seed));
  if (reads_pairs(config)) {
    const auto model = PairModel(pair_options(config), std::move(embedding), key).ptr();
    model->set_choice(choice_of(config));
    return model;
  }
  RationaleModelOptions options;
  options.selector = selector_kind(config.model.kind);
  options.regression = config.task.regression;
  options.likelihood =
      config.model.likelihood == "logit-normal" ? Likelihood::LogitNormal : Likelihood::Squared;
  options.share = config.objective.target;
  options.outputs = config.task.outputs();
  options.cell = config.model.encoder == "rcnn" ? CellKind::Rcnn : CellKind::Lstm;
  options.dependent = config.model.dependent;
  options.hidden = config.model.hidden;
  options.dropout = config.model.dropout;
  options.train_embedding = trains_embedding(config);
  options.open_at_start = config.controller.name == "default";
  options.shared = config.model.shared;
  options.selectors = config.model.selectors;
  options.entropy = config.objective.entropy;
  const auto model = RationaleModel(options, std::move(embedding), key).ptr();
  model->set_choice(choice_of(config));
  return model;
}

std::map<std::string, at::Tensor> named_weights(const TextModel& model) {
  std::map<std::string, at::Tensor> out;
  for (const auto& item : model.named_parameters()) out[item.key()] = item.value().to(at::kCPU);
  return out;
}

void load_weights(TextModel& model, const std::map<std::string, at::Tensor>& weights,
                  const std::string& path) {
  const at::NoGradGuard no_grad;
  for (auto& item : model.named_parameters()) {
    const auto found = weights.find(item.key());
    if (found == weights.end()) throw InputError("{}: no tensor \"{}\"", path, item.key());
    copy_weight(item.value(), found->second, item.key(), path);
  }
}

void start_from(TextModel& model, const Vocabulary& vocabulary, const fs::path& directory) {
  const SavedModel saved = load_model(directory);
  if (saved.vocabulary.to_text() != vocabulary.to_text()) {
    throw InputError("{}: knows other words; a model to start from is one of the same data",
                     directory.string());
  }
  std::map<std::string, at::Tensor> theirs;
  if (saved.model != nullptr) theirs = named_weights(*saved.model);
  const at::NoGradGuard no_grad;
  bool any = false;
  for (auto& item : model.named_parameters()) {
    const auto found = theirs.find(item.key());
    if (found == theirs.end()) continue;
    copy_weight(item.value(), found->second, item.key(), directory.string());
    any = any || item.key() != "embedding";
  }
  if (!any) {
    throw InputError("{}: a model of kind {} has no weights that fit here", directory.string(),
                     saved.config.model.kind);
  }
}

void save_settings(const fs::path& directory, const Config& config, const Vocabulary& vocabulary) {
  write_file(directory / "config.toml", to_toml(config));
  write_file(directory / "vocab.txt", vocabulary.to_text());
}

void save_weights(const fs::path& directory, const TextModel& model) {
  write_safetensors(directory / "model.safetensors",
                    {named_weights(model), {{"format", "hardkuma-1"}}});
}

SavedModel load_model(const fs::path& directory) {
  if (!fs::exists(directory)) throw InputError("{}: no such directory", directory.string());
  if (!fs::is_directory(directory)) {
    throw InputError("{}: not a directory; a model is the directory that train wrote",
                     directory.string());
  }
  for (const char* name : {"config.toml", "vocab.txt", "model.safetensors"}) {
    if (fs::exists(directory / name)) continue;
    if (fs::exists(directory / "manifest.json")) {
      throw InputError("{}: training has not finished an epoch yet; go on with train --resume",
                       directory.string());
    }
    throw InputError("{}: not a model directory: it has no {}", directory.string(), name);
  }
  SavedModel saved;
  const fs::path config = directory / "config.toml";
  overlay_toml(saved.config, read_file(config), config.string());
  validate(saved.config);
  if (!saved.config.task.regression && saved.config.task.labels.empty()) {
    throw InputError("{}: no [task] section", config.string());
  }
  const fs::path vocabulary = directory / "vocab.txt";
  saved.vocabulary = Vocabulary::from_text(read_file(vocabulary), vocabulary.string());
  if (saved.vocabulary.unknown_classes() != saved.config.data.unknown_classes) {
    throw InputError("{}: {} classes of unknown words where the settings say {}",
                     vocabulary.string(), saved.vocabulary.unknown_classes(),
                     saved.config.data.unknown_classes);
  }
  const fs::path weights = directory / "model.safetensors";
  if (saved.config.model.kind == "svm") {
    saved.svm = NgramSvm::load(weights);
    if (saved.svm->weights.size(0) != saved.config.task.outputs()) {
      throw InputError("{}: not made for this task; the files do not belong together",
                       weights.string());
    }
    return saved;
  }
  const TensorFile file = read_safetensors(weights);
  const auto embedding = file.tensors.find("embedding");
  const bool fits = embedding != file.tensors.end() && embedding->second.dim() == 2 &&
                    embedding->second.size(0) == saved.vocabulary.size() &&
                    embedding->second.scalar_type() == at::kFloat;
  if (!fits) {
    throw InputError("{}: no embedding of {} words; the files do not belong together",
                     weights.string(), saved.vocabulary.size());
  }
  saved.model = make_model(saved.config, embedding->second);
  load_weights(*saved.model, file.tensors, weights.string());
  return saved;
}

}  // namespace hardkuma
