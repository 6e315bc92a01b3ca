#include "hardkuma/model/rationale_model.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

std::vector<const float*> rows_of(const std::vector<const float*>& table, const at::Tensor& words) {
  std::vector<const float*> out(static_cast<size_t>(words.size(0)));
  const int64_t* word = words.data_ptr<int64_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = table[static_cast<size_t>(word[i])];
    if (out[i] == nullptr) throw InternalError("[predict] word {} has no projection", word[i]);
  }
  return out;
}

Projections covering(const RationaleModelImpl& model, const Batch& batch,
                     Projections::Of of = Projections::Of::Both) {
  Projections out(model, of);
  const int64_t* word = batch.words.data_ptr<int64_t>();
  out.cover({word, word + batch.words.size(0)});
  return out;
}

}  // namespace

at::Tensor expected_rate(const at::Tensor& p_nonzero, const Packed& packed) {
  return (p_nonzero * packed.inverse_length(p_nonzero.scalar_type())).sum();
}

at::Tensor expected_transitions(const at::Tensor& p_zero, const at::Tensor& p_nonzero,
                                const Packed& packed) {
  const auto [first, second] = packed.neighbours();
  const at::Tensor change = p_zero.index_select(0, first) * p_nonzero.index_select(0, second) +
                            p_nonzero.index_select(0, first) * p_zero.index_select(0, second);
  const at::Tensor share = packed.inverse_length(p_zero.scalar_type()).index_select(0, first);
  return (change * share).sum();
}

RationaleModelImpl::RationaleModelImpl(const RationaleModelOptions& options, at::Tensor embedding,
                                       RandomKey key)
    : options_(options) {
  const int64_t width = embedding.size(1);
  embedding_ = register_parameter("embedding", std::move(embedding), options.train_embedding);
  const RandomKey init = key.with(kInitStream);
  const BiEncoderOptions encoder{options.cell, width, options.hidden};
  if (options.selects) {
    selector_ = register_module("selector", BiEncoder(encoder, init.with(1)));
    GateOptions gate;
    gate.in_features = 2 * options.hidden;
    gate.chain_units = options.dependent ? options.chain_units : 0;
    gate.chain_cell = options.cell;
    if (options.open_at_start) {
      gate.bias_a = 0.541;  // a = 1
      gate.bias_b = -1.5;   // b = 0.2
    }
    gate_ = register_module("gate", Gate(gate, init.with(2)));
  }
  classifier_ = register_module("classifier", BiEncoder(encoder, init.with(3)));
  output_ = register_module(
      "output", Linear(LinearOptions{2 * options.hidden, options.outputs}, init.with(4)));
}

std::vector<at::Tensor> RationaleModelImpl::trained_parameters() const {
  std::vector<at::Tensor> out;
  for (const at::Tensor& parameter : parameters()) {
    if (parameter.requires_grad()) out.push_back(parameter);
  }
  return out;
}

// A trained table is looked up once for all uses, so that its gradient, as large as the table, is
// made once; a fixed one is looked up and masked in one pass, only where it is read.
at::Tensor RationaleModelImpl::looked_up(const Batch& batch) const {
  return options_.train_embedding ? embedding_.index_select(0, batch.words) : at::Tensor();
}

at::Tensor RationaleModelImpl::dropped_words(const Batch& batch, const at::Tensor& looked_up,
                                             RandomKey key, const at::Tensor& rows) const {
  Dropout dropout{options_.dropout, {}};
  if (options_.dropout > 0.0) dropout.keys = word_keys(batch.packed, batch.numbers, key, rows);
  if (looked_up.defined()) {
    return drop(rows.defined() ? looked_up.index_select(0, rows) : looked_up, dropout);
  }
  return embed(embedding_, rows.defined() ? batch.words.index_select(0, rows) : batch.words,
               dropout);
}

GateValues RationaleModelImpl::gates(const Batch& batch, const Projections& projections) {
  const at::NoGradGuard no_grad;
  const at::Tensor states =
      selector_->infer_states(rows_of(projections.selector(), batch.words), batch.packed);
  return gate_->decide(states, options_.decision, batch.packed);
}

at::Tensor RationaleModelImpl::project(const at::Tensor& words, bool selector) const {
  const at::NoGradGuard no_grad;
  return (selector ? selector_ : classifier_)->project(embedding_.index_select(0, words));
}

at::Tensor RationaleModelImpl::classify(const Batch& batch, const at::Tensor& words,
                                        const at::Tensor& z, RandomKey step) {
  const RandomKey key = step.with(kEmbeddingDropoutStream).with(1);
  at::Tensor states;
  if (z.defined()) {
    const Reading reading = classifier_->read(batch.packed, z);
    states = classifier_->final(dropped_words(batch, words, key, reading.rows),
                                z.index_select(0, reading.rows), reading);
  } else {
    states = classifier_->final(dropped_words(batch, words, key), batch.packed);
  }
  return output_(
      drop(states, {options_.dropout, text_keys(batch.numbers, step.with(kOutputDropoutStream))}));
}

at::Tensor RationaleModelImpl::task_loss(const at::Tensor& logits, const Batch& batch) const {
  if (options_.regression) {
    const at::Tensor error =
        at::sigmoid(logits.select(1, 0)) - batch.targets.to(logits.scalar_type());
    return error * error;
  }
  const at::Tensor log_probability = at::log_softmax(logits, 1);
  return -log_probability.gather(1, batch.targets.to(at::kLong).unsqueeze(1)).squeeze(1);
}

TrainingTerms RationaleModelImpl::train_forward(const Batch& batch, RandomKey step, int64_t samples,
                                                bool open_gates) {
  TrainingTerms terms;
  const at::Tensor words = looked_up(batch);
  if (!options_.selects || open_gates) {
    terms.task = task_loss(classify(batch, words, {}, step), batch).sum();
    return terms;
  }
  const RandomKey drops = step.with(kEmbeddingDropoutStream).with(0);
  const at::Tensor states = selector_->states(dropped_words(batch, words, drops), batch.packed);
  const double share = 1.0 / static_cast<double>(samples);
  const auto add = [share](at::Tensor& total, const at::Tensor& term) {
    total = total.defined() ? total + term * share : term * share;
  };
  for (int64_t s = 0; s < samples; ++s) {
    const RandomKey draw = step.with(static_cast<uint64_t>(s) << 32);
    const at::Tensor u =
        row_uniforms(batch.packed, batch.numbers, draw.with(kNoiseStream), states.scalar_type());
    const GateValues gate = gate_->sample(states, u, batch.packed);
    add(terms.rate, expected_rate(gate.p_nonzero, batch.packed));
    add(terms.transitions, expected_transitions(gate.p_zero, gate.p_nonzero, batch.packed));
    add(terms.rails, expected_rate(gate_rails(gate.raw), batch.packed));
    add(terms.task, task_loss(classify(batch, words, gate.z, draw), batch).sum());
  }
  return terms;
}

at::Tensor RationaleModelImpl::decide(const Batch& batch) {
  if (!options_.selects) return at::ones({batch.packed.rows()});
  return gates(batch, covering(*this, batch, Projections::Of::Selector)).z;
}

Predictions RationaleModelImpl::predict(const Batch& batch) {
  return predict(batch, covering(*this, batch));
}

Predictions RationaleModelImpl::predict(const Batch& batch, const Projections& projections) {
  const at::NoGradGuard no_grad;
  Predictions out;
  at::Tensor states;
  if (options_.selects) {
    const GateValues gate = gates(batch, projections);
    out.z = gate.z;
    out.p_zero = gate.p_zero;
    out.p_one = gate_->distribution(gate.raw).p_one();
    const Reading reading = classifier_->read(batch.packed, out.z);
    const at::Tensor words = batch.words.index_select(0, reading.rows);
    states = classifier_->infer_final(rows_of(projections.classifier(), words),
                                      out.z.index_select(0, reading.rows), reading);
  } else {
    out.z = at::ones({batch.packed.rows()});
    out.p_zero = at::zeros_like(out.z);
    out.p_one = at::ones_like(out.z);
    states = classifier_->infer_final(rows_of(projections.classifier(), batch.words), batch.packed);
  }
  const at::Tensor logits = output_(states);
  out.task_loss = task_loss(logits, batch);
  out.scores = options_.regression ? at::sigmoid(logits) : at::softmax(logits, 1);
  return out;
}

}  // namespace hardkuma
