#include "hardkuma/model/make_model.h"

#include "hardkuma/common/error.h"
#include "hardkuma/model/pair_model.h"
#include "hardkuma/model/rationale_model.h"

namespace hardkuma {
namespace {

SelectorKind selector_of(ModelKind kind) {
  if (const std::optional<GateKind> gate = gate_of(kind)) return *gate;
  if (kind == ModelKind::Attention) return SelectorKind::Attention;
  if (kind == ModelKind::FullText) return SelectorKind::None;
  throw InternalError("[make_model] no network for a model of kind {}", name_of(kind));
}

// The recurrent cell of dependent gates is of the encoder's kind, as published.
CellKind chain_cell(EncoderKind encoder) {
  return encoder == EncoderKind::Lstm ? CellKind::Lstm : CellKind::Rcnn;
}

bool trains_embedding(const Config& config) {
  return config.data.vectors.empty() || config.model.train_vectors;
}

PairModelOptions pair_options(const Config& config) {
  PairModelOptions options;
  options.kind = config.model.kind == ModelKind::PairLstm        ? PairKind::Lstm
                 : config.model.kind == ModelKind::PairAttention ? PairKind::Attention
                                                                 : PairKind::HardKuma;
  options.outputs = config.task.outputs();
  options.hidden = config.model.hidden;
  options.dropout = config.model.dropout;
  options.train_embedding = trains_embedding(config);
  options.links = config.model.links;
  options.shapes = config.model.shapes;
  options.intra = config.model.intra;
  return options;
}

}  // namespace

Choice choice_of(const Config& config) {
  Choice choice;
  choice.decision = config.model.decision;
  choice.threshold = config.model.threshold;
  return choice;
}

std::shared_ptr<TextModel> make_model(const Config& config, at::Tensor embedding) {
  const RandomKey key(static_cast<uint64_t>(config.train.seed));
  if (reads_pairs(config)) {
    const auto model = PairModel(pair_options(config), std::move(embedding), key).ptr();
    model->set_choice(choice_of(config));
    model->set_temperature(config.model.temperature);
    return model;
  }
  RationaleModelOptions options;
  options.selector = selector_of(config.model.kind);
  options.regression = config.task.regression;
  options.likelihood = config.model.likelihood;
  options.share = config.objective.target;
  options.outputs = config.task.outputs();
  options.encoder = config.model.encoder;
  options.reading = config.model.reading;
  options.chain_cell = chain_cell(config.model.encoder);
  options.dependent = config.model.dependent;
  options.hidden = config.model.hidden;
  options.dropout = config.model.dropout;
  options.train_embedding = trains_embedding(config);
  options.open_at_start = config.controller.name == ControllerKind::Default;
  options.shared = config.model.shared;
  options.selectors = config.model.selectors;
  options.entropy = config.objective.entropy;
  options.linear = config.model.linear;
  options.floor = config.model.floor * config.objective.target;
  options.known_from = 1 + config.data.unknown_classes;
  options.match = config.objective.match;
  const auto model = RationaleModel(options, std::move(embedding), key).ptr();
  model->set_choice(choice_of(config));
  model->set_temperature(config.model.temperature);
  return model;
}

}  // namespace hardkuma
