#include "hardkuma/model/rationale_model.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

namespace hardkuma {

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
  const BiLstmOptions encoder{width, options.hidden};
  if (options.selects) {
    selector_ = register_module("selector", BiLstm(encoder, init.with(1)));
    GateOptions gate{.in_features = 2 * options.hidden};
    if (options.open_at_start) {
      gate.bias_a = 0.541;  // a = 1
      gate.bias_b = -1.5;   // b = 0.2
    }
    gate_ = register_module("gate", Gate(gate, init.with(2)));
  }
  classifier_ = register_module("classifier", BiLstm(encoder, init.with(3)));
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

at::Tensor RationaleModelImpl::embed(const Batch& batch) const {
  return embedding_.index_select(0, batch.words);  // [N, D]
}

at::Tensor RationaleModelImpl::drop_rows(const at::Tensor& x, const Batch& batch,
                                         RandomKey key) const {
  if (options_.dropout == 0.0) return x;
  return x * row_dropout_mask(batch.packed, batch.numbers, x.size(1), options_.dropout, key,
                              x.scalar_type());
}

at::Tensor RationaleModelImpl::raw_gates(const at::Tensor& embedded, const Batch& batch) {
  return gate_->raw_shapes(selector_(embedded, batch.packed));
}

at::Tensor RationaleModelImpl::classify(const at::Tensor& embedded, const Batch& batch,
                                        const RandomKey* step) {
  at::Tensor states = final_states(classifier_(embedded, batch.packed), batch.packed);
  if (step != nullptr && options_.dropout > 0.0) {
    states = states * sequence_dropout_mask(batch.numbers, states.size(1), options_.dropout,
                                            step->with(kOutputDropoutStream), states.scalar_type());
  }
  return output_(states);
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
  const at::Tensor words = embed(batch);
  TrainingTerms terms;
  const bool selects = options_.selects && !open_gates;
  if (!selects) {
    const at::Tensor seen = drop_rows(words, batch, step.with(kEmbeddingDropoutStream).with(1));
    terms.task = task_loss(classify(seen, batch, &step), batch).sum();
    return terms;
  }
  const at::Tensor raw =
      raw_gates(drop_rows(words, batch, step.with(kEmbeddingDropoutStream).with(0)), batch);
  const HardKuma gate = gate_->distribution(raw);
  const at::Tensor p_nonzero = gate.p_nonzero();
  terms.rate = expected_rate(p_nonzero, batch.packed);
  terms.transitions = expected_transitions(gate.p_zero(), p_nonzero, batch.packed);
  terms.rails = expected_rate(gate_rails(raw), batch.packed);
  for (int64_t s = 0; s < samples; ++s) {
    const RandomKey draw = step.with(static_cast<uint64_t>(s) << 32);
    const at::Tensor u =
        row_uniforms(batch.packed, batch.numbers, draw.with(kNoiseStream), words.scalar_type());
    const at::Tensor z = gate.sample(u);
    const at::Tensor seen = drop_rows(words, batch, draw.with(kEmbeddingDropoutStream).with(1));
    const at::Tensor loss = task_loss(classify(seen * z.unsqueeze(1), batch, &draw), batch).sum() /
                            static_cast<double>(samples);
    terms.task = s == 0 ? loss : terms.task + loss;
  }
  return terms;
}

at::Tensor RationaleModelImpl::decide(const Batch& batch) {
  const at::NoGradGuard no_grad;
  if (!options_.selects) return at::ones({batch.packed.rows()});
  return gate_->distribution(raw_gates(embed(batch), batch)).decide(options_.decision);
}

Predictions RationaleModelImpl::predict(const Batch& batch) {
  const at::NoGradGuard no_grad;
  const at::Tensor words = embed(batch);
  Predictions out;
  if (options_.selects) {
    const HardKuma gate = gate_->distribution(raw_gates(words, batch));
    out.z = gate.decide(options_.decision);
    out.p_zero = gate.p_zero();
    out.p_one = gate.p_one();
  } else {
    out.z = at::ones({batch.packed.rows()});
    out.p_zero = at::zeros_like(out.z);
    out.p_one = at::ones_like(out.z);
  }
  const at::Tensor seen = options_.selects ? words * out.z.unsqueeze(1) : words;
  const at::Tensor logits = classify(seen, batch, nullptr);
  out.task_loss = task_loss(logits, batch);
  out.scores = options_.regression ? at::sigmoid(logits) : at::softmax(logits, 1);
  return out;
}

}  // namespace hardkuma
