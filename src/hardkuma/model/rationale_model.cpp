#include "hardkuma/model/rationale_model.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/dist/bernoulli.h"
#include "hardkuma/nn/attention.h"
#include "hardkuma/nn/cuda/on_gpu.h"
#include "hardkuma/nn/least_words.h"

namespace hardkuma {
namespace {

// Converts means over each sequence's words [B] to sums.
at::Tensor times_length(const at::Tensor& means, const Packed& packed) {
  const at::Tensor lengths =
      packed.device ? packed.device->lengths : at::tensor(packed.lengths, at::kLong);
  return means * lengths.to(means.scalar_type());
}

// Sums of values [N] over each sequence, [B].
at::Tensor sum_by_sequence(const at::Tensor& values, const Packed& packed) {
  return times_length(packed.mean_by_sequence(values), packed);
}

// `rate` and `transitions` are added by the caller, who has them already.
ScoreTerms score_terms(const GateValues& gate, const at::Tensor& task, const Packed& packed) {
  ScoreTerms out;
  out.log_probability = sum_by_sequence(Bernoulli(gate.raw.select(1, 0)).log_prob(gate.z), packed);
  const at::NoGradGuard no_grad;
  out.task = task.detach();
  out.selected = sum_by_sequence(gate.z, packed);
  // For a sampled z of 0 and 1 the expectation is the number of changes itself.
  out.changes = times_length(expected_transitions(1 - gate.z, gate.z, packed), packed);
  return out;
}

void append(ScoreTerms& all, const ScoreTerms& more) {
  for (at::Tensor ScoreTerms::*term :
       {&ScoreTerms::log_probability, &ScoreTerms::task, &ScoreTerms::rate,
        &ScoreTerms::transitions, &ScoreTerms::selected, &ScoreTerms::changes}) {
    all.*term = (all.*term).defined() ? at::cat({all.*term, more.*term}) : more.*term;
  }
}

}  // namespace

at::Tensor logit_normal_loss(const at::Tensor& m, const at::Tensor& log_sigma,
                             const at::Tensor& y) {
  constexpr double kHalfLogTwoPi = 0.918938533204672742;
  const at::Tensor inside = at::clamp(y, 0.01, 0.99);
  const at::Tensor log_y = at::log(inside);
  const at::Tensor log_rest = at::log1p(-inside);
  const at::Tensor width = at::clamp_min(log_sigma, std::log(0.05));
  const at::Tensor distance = (log_y - log_rest - m) * at::exp(-width);
  return 0.5 * distance * distance + width + log_y + log_rest + kHalfLogTwoPi;
}

at::Tensor expected_transitions(const at::Tensor& p_zero, const at::Tensor& p_nonzero,
                                const Packed& packed) {
  if (packed.on_gpu()) return on_gpu::expected_transitions(p_zero, p_nonzero, packed);
  const auto [first, second] = packed.neighbours();
  const at::Tensor change = p_zero.index_select(0, first) * p_nonzero.index_select(0, second) +
                            p_nonzero.index_select(0, first) * p_zero.index_select(0, second);
  const at::Tensor share = packed.inverse_length(p_zero.scalar_type()).index_select(0, first);
  return at::zeros({packed.sequences()}, change.options())
      .index_add(0, packed.sequence_of_row().index_select(0, first), change * share);
}

RationaleModelImpl::RationaleModelImpl(const RationaleModelOptions& options, at::Tensor embedding,
                                       RandomKey key)
    : options_(options) {
  const int64_t width = embedding.size(1);
  set_embedding(std::move(embedding), options.train_embedding);
  const RandomKey init = key.with(kInitStream);
  const auto encoder = [&](uint64_t number) {
    return make_encoder(options.encoder, {width, options.hidden, options.reading},
                        init.with(number));
  };
  classifier_ = register_module("classifier", encoder(3));
  if (options.selects()) {
    selector_ = options.shared ? classifier_ : register_module("selector", encoder(1));
  }
  const int64_t features = classifier_->width();
  if (options.gated()) {
    GateOptions gate;
    gate.kind = *options.selector.gate;
    gate.in_features = features + (options.linear ? 1 : 0);
    gate.salience = options.linear;
    gate.chain_units = options.dependent ? options.chain_units : 0;
    gate.chain_cell = options.chain_cell;
    if (options.open_at_start) gate.biases = open_biases(gate.kind, options.dependent);
    gate_ = register_module("gate", Gate(gate, init.with(2)));
    for (int64_t k = 1; k < options.selectors; ++k) {
      const auto number = static_cast<uint64_t>(10 + 2 * k);
      const std::string end = "_" + std::to_string(k + 1);
      others_.push_back({register_module("selector" + end, encoder(number)),
                         register_module("gate" + end, Gate(gate, init.with(number + 1)))});
    }
  }
  if (options.selector.attention) {
    attention_ = register_module("attention", Linear(LinearOptions{features, 1}, init.with(5)));
    selector_output_ = register_module(
        "selector_output", Linear(LinearOptions{features, options.outputs}, init.with(6)));
  }
  output_ =
      register_module("output", Linear(LinearOptions{features, options.outputs}, init.with(4)));
  if (options.linear) {
    linear_ = register_module("linear", LinearPart(embedding_.size(0), options.outputs));
  }
  if (floor() > 0.0) {
    prior_ = register_parameter("prior", at::zeros({options.outputs}), /*requires_grad=*/false);
  }
  if (options.regression && options.likelihood == Likelihood::LogitNormal) {
    log_sigma_ = register_parameter("log_sigma", at::zeros({options.outputs}));
    if (options.selector.attention) {
      selector_log_sigma_ = register_parameter("selector_log_sigma", at::zeros({options.outputs}));
    }
  }
}

// A trained table is looked up once per step, since each lookup has a gradient as large as the
// table. A fixed one is looked up and masked in one pass, only for the rows that are read.
at::Tensor RationaleModelImpl::looked_up(const Batch& batch) const {
  if (!options_.train_embedding) return {};
  // On a GPU, the gradient of index_select is not deterministic.
  return on_gpu() ? at::embedding(embedding_, batch.words)
                  : embedding_.index_select(0, batch.words);
}

at::Tensor RationaleModelImpl::dropped_words(const Batch& batch, const at::Tensor& looked_up,
                                             const StepKey& key, const at::Tensor& rows) const {
  Dropout dropout{options_.dropout, {}, {}};
  if (options_.dropout > 0.0) dropout.keys = word_keys(batch.packed, batch.example_ids, key, rows);
  if (looked_up.defined()) {
    return drop(rows.defined() ? looked_up.index_select(0, rows) : looked_up, dropout);
  }
  return embed(embedding_, rows.defined() ? batch.words.index_select(0, rows) : batch.words,
               dropout);
}

void RationaleModelImpl::set_drawn_support(const Support& support) {
  if (gate_.is_empty()) return;
  gate_->set_drawn_support(support);
  for (Selector& other : others_) other.gate->set_drawn_support(support);
}

void RationaleModelImpl::set_prior(const at::Tensor& logits) {
  const at::NoGradGuard no_grad;
  if (prior_.defined()) prior_.copy_(logits);
}

void RationaleModelImpl::set_linear(const LinearFit& fit) {
  if (!linear_.is_empty()) linear_->set(fit);
}

at::Tensor RationaleModelImpl::with_least(const at::Tensor& z, const at::Tensor& p_zero,
                                          const Batch& batch) const {
  if (floor() == 0.0 || choice_.budget > 0.0) return z;
  const at::Tensor words = lacking_words(z, p_zero, batch.packed, floor());
  return words.defined() ? at::maximum(z, words.to(z.scalar_type())) : z;
}

RationaleModelImpl::Selection RationaleModelImpl::select(const Batch& batch,
                                                         const Projections& projections) {
  const at::NoGradGuard no_grad;
  if (!options_.selects()) {
    const at::Tensor all = at::ones({batch.packed.rows()}, embedding_.options());
    return {all, at::zeros_like(all), all};
  }
  const at::Tensor states =
      projections.any()
          ? selector_->projection()->states_of(projections.rows(0, batch.words), batch.packed)
          : selector_->states(embed(embedding_, batch.words), batch.packed);
  if (options_.selector.attention) {
    const at::Tensor scores = attention_(states).select(1, 0);
    const at::Tensor weights = softmax_over_words(scores, batch.packed);
    const Choice choice{Decision::Binary, 0.0,
                        choice_.budget > 0.0 ? choice_.budget : options_.share, choice_.spans};
    return {chosen(choice, weights, -scores, batch), 1 - weights, weights};
  }
  const GateValues gate =
      gate_->decide(for_gates(states, batch, /*training=*/false), choice_.decision, batch.packed);
  return {gate.z, gate.p_zero, gate_->distribution(gate.raw)->p_one()};
}

const WordTables* RationaleModelImpl::word_tables() const {
  const bool projects = classifier_->projection() != nullptr &&
                        (!options_.selects() || selector_->projection() != nullptr);
  return projects && !on_gpu() ? this : nullptr;
}

std::vector<int64_t> RationaleModelImpl::table_widths() const {
  return std::vector<int64_t>(classifier_table() + 1,
                              classifier_->projection()->projection_width());
}

at::Tensor RationaleModelImpl::table_rows(const at::Tensor& words, size_t table) const {
  const at::NoGradGuard no_grad;
  const std::shared_ptr<Encoder>& encoder = table == classifier_table() ? classifier_ : selector_;
  return encoder->projection()->project(embedding_.index_select(0, words));
}

at::Tensor RationaleModelImpl::classify(const Batch& batch, const at::Tensor& words,
                                        const at::Tensor& z, const StepKey& step) {
  const StepKey key = step.with(kEmbeddingDropoutStream).with(1);
  at::Tensor states;
  if (z.defined()) {
    const Reading reading = classifier_->read(batch.packed, z);
    states =
        classifier_->summary(dropped_words(batch, words, key, reading.rows),
                             reading.rows.defined() ? z.index_select(0, reading.rows) : z, reading);
  } else {
    states = classifier_->summary(dropped_words(batch, words, key), batch.packed);
  }
  return output_(
      drop(states,
           {options_.dropout, text_keys(batch.example_ids, step.with(kOutputDropoutStream)), {}}));
}

at::Tensor RationaleModelImpl::for_gates(const at::Tensor& states, const Batch& batch,
                                         bool training) const {
  if (!options_.linear) return states;
  return at::cat({states, linear_->salience(batch, training).unsqueeze(1)}, 1);
}

// What the logits are worse than the full text's, which are taken as they are: [B].
at::Tensor RationaleModelImpl::divergence(const at::Tensor& full, const at::Tensor& logits) const {
  if (options_.regression) {
    const at::Tensor difference = at::sigmoid(logits) - at::sigmoid(full);
    return (difference * difference).mean(1);
  }
  const at::Tensor p = at::softmax(full, 1);
  return (p * (at::log_softmax(full, 1) - at::log_softmax(logits, 1))).sum(1);
}

at::Tensor RationaleModelImpl::task_loss(const at::Tensor& logits, const Batch& batch,
                                         const at::Tensor& log_sigma) const {
  if (options_.regression) {
    const at::Tensor y = batch.targets.to(logits.scalar_type()).view({batch.examples(), -1});
    if (log_sigma.defined()) return logit_normal_loss(logits, log_sigma, y).mean(1);
    const at::Tensor error = at::sigmoid(logits) - y;
    return (error * error).mean(1);
  }
  return class_loss(logits, batch.targets);
}

at::Tensor RationaleModelImpl::trained_loss(const at::Tensor& logits, const Batch& batch,
                                            const at::Tensor& log_sigma) const {
  const at::Tensor loss = task_loss(logits, batch, log_sigma);
  if (!class_weights_.defined()) return loss;
  const at::Tensor classes = batch.targets.to(at::kLong);
  return loss * class_weights_.to(loss.options()).index_select(0, classes);
}

TrainingTerms RationaleModelImpl::train_forward(const Batch& batch, StepKey step, int64_t samples,
                                                Gates gates) {
  TrainingTerms terms;
  const at::Tensor words = looked_up(batch);
  if (!options_.selects() || gates == Gates::Open) {
    terms.task = trained_loss(classify(batch, words, {}, step), batch, log_sigma_).sum();
    return terms;
  }
  if (options_.selector.attention) return train_attention(batch, words, step);
  const at::Tensor read = dropped_words(batch, words, step.with(kEmbeddingDropoutStream).with(0));
  std::vector<Selector> selectors{{selector_, gate_}};
  selectors.insert(selectors.end(), others_.begin(), others_.end());
  at::Tensor full;
  if (options_.match > 0.0) {
    const auto number = static_cast<uint64_t>(samples * options_.selectors);
    const at::Tensor logits = classify(batch, words, {}, step.with(number << 32));
    terms.selector = trained_loss(logits, batch, log_sigma_).sum() * options_.match;
    full = logits.detach();
    if (options_.linear) full = linear_->with(full, linear_->logits(batch, {}, /*training=*/true));
  }
  const double share = 1.0 / static_cast<double>(samples * options_.selectors);
  for (size_t k = 0; k < selectors.size(); ++k) {
    const at::Tensor states =
        for_gates(selectors[k].encoder->states(read, batch.packed), batch, /*training=*/true);
    for (int64_t s = 0; s < samples; ++s) {
      const uint64_t number = k * static_cast<uint64_t>(samples) + static_cast<uint64_t>(s);
      add_draw(selectors[k].gate, states, batch, words, step.with(number << 32), gates, share, full,
               terms);
    }
  }
  return terms;
}

// The likeliest gates of a text with too few words are drawn again, given that they are not zero.
GateValues RationaleModelImpl::draw_gates(const Gate& from, const at::Tensor& states,
                                          const Batch& batch, const StepKey& draw) const {
  Gate gate = from;
  constexpr int kDraws = 4;  // a word drawn open may shut later ones of dependent gates
  at::Tensor u =
      row_uniforms(batch.packed, batch.example_ids, draw.with(kNoiseStream), states.scalar_type());
  GateValues drawn = gate->sample(states, u, batch.packed);
  for (int k = 0; floor() > 0.0 && k < kDraws; ++k) {
    const at::Tensor words = lacking_words(drawn.z, drawn.p_zero, batch.packed, floor());
    if (!words.defined()) break;
    u = nonzero_noise(u, drawn.p_zero, words);
    drawn = gate->sample(states, u, batch.packed);
  }
  return drawn;
}

// Adds the terms of one sample of the gates, weighted by `share`.
void RationaleModelImpl::add_draw(const Gate& from, const at::Tensor& states, const Batch& batch,
                                  const at::Tensor& words, const StepKey& draw, Gates gates,
                                  double share, const at::Tensor& full, TrainingTerms& terms) {
  const auto add = [share](at::Tensor& total, const at::Tensor& term) {
    total = total.defined() ? total + term * share : term * share;
  };
  Gate gate_of = from;
  GateValues gate;
  at::Tensor rate;
  at::Tensor transitions;
  {
    const at::AutoGradMode selector_learns(gates != Gates::Decided);
    gate = draw_gates(from, states, batch, draw);
    rate = batch.packed.mean_by_sequence(gate.p_nonzero);
    if (floor() > 0.0) rate = rate + lacking_rate(gate.p_zero, batch.packed, floor());
    transitions = expected_transitions(gate.p_zero, gate.p_nonzero, batch.packed);
    add(terms.rate, rate.sum());
    add(terms.transitions, transitions.sum());
    add(terms.bounds, batch.packed.mean_by_sequence(penalty(gate)).sum());
    if (gates == Gates::Decided) {
      const GateValues decided = gate_of->decide(states, choice_.decision, batch.packed);
      gate.z = with_least(chosen(choice_, decided.z, decided.p_zero, batch), decided.p_zero, batch);
    }
  }
  const at::Tensor logits = classify(batch, words, gate.z, draw);
  const at::Tensor task = trained_loss(logits, batch, log_sigma_);
  add(terms.task, task.sum());
  if (full.defined()) add(terms.selector, divergence(full, logits).sum() * options_.match);
  if (options_.linear) {
    // The network learns by itself; the selector serves both.
    const at::Tensor both =
        linear_->with(logits.detach(), linear_->logits(batch, gate.z, /*training=*/true));
    add(terms.selector, trained_loss(both, batch, log_sigma_).sum());
    if (full.defined()) add(terms.selector, divergence(full, both).sum() * options_.match);
  }
  // REINFORCE needs a sampled z, not a decided one.
  if (gate_of->kind() == GateKind::Bernoulli && gates == Gates::Drawn) {
    ScoreTerms score = score_terms(gate, task, batch.packed);
    score.rate = rate.detach();
    score.transitions = transitions.detach();
    append(terms.score, score);
  }
}

// The bounds penalty, plus the entropy of being zero or not if `entropy` is set.
at::Tensor RationaleModelImpl::penalty(const GateValues& gate) const {
  const at::Tensor bounds = gate_bounds_penalty(gate_->kind(), gate.raw);
  if (options_.entropy == 0.0) return bounds;
  const auto entropy = [](const at::Tensor& p) { return -p * at::log(at::clamp_min(p, 1e-6)); };
  return bounds + (entropy(gate.p_zero) + entropy(gate.p_nonzero)) * options_.entropy;
}

// The selector is trained on the full text, weighted by its attention; the classifier on the words
// that the selector would select. They share only the word vectors.
TrainingTerms RationaleModelImpl::train_attention(const Batch& batch, const at::Tensor& words,
                                                  const StepKey& step) {
  const StepKey drops = step.with(kEmbeddingDropoutStream).with(0);
  const at::Tensor states = selector_->states(dropped_words(batch, words, drops), batch.packed);
  const at::Tensor scores = attention_(states).select(1, 0);
  const at::Tensor read =
      weighted_sum(softmax_over_words(scores, batch.packed), states, batch.packed);
  const StepKey key = step.with(kOutputDropoutStream).with(1);
  TrainingTerms terms;
  terms.selector =
      trained_loss(
          selector_output_(drop(read, {options_.dropout, text_keys(batch.example_ids, key), {}})),
          batch, selector_log_sigma_)
          .sum();
  const at::Tensor z = top_words(scores, batch.packed, options_.share);
  terms.task = trained_loss(classify(batch, words, z, step), batch, log_sigma_).sum();
  return terms;
}

at::Tensor RationaleModelImpl::logits_given(const Batch& batch, const at::Tensor& z,
                                            const Projections& projections) {
  at::Tensor logits = output_(summary_given(batch, z, projections));
  if (options_.linear)
    logits = linear_->with(logits, linear_->logits(batch, z, /*training=*/false));
  if (!options_.regression) logits = logits / temperature_;
  if (!prior_.defined()) return logits;
  const at::Tensor read = z.defined() ? z : at::ones({batch.packed.rows()}, logits.options());
  const at::Tensor known = (batch.words >= options_.known_from).to(read.scalar_type());
  const at::Tensor empty = sum_by_sequence(read * known, batch.packed) == 0;
  return at::where(empty.unsqueeze(1), prior_, logits);
}

at::Tensor RationaleModelImpl::summary_given(const Batch& batch, const at::Tensor& z,
                                             const Projections& projections) {
  const Packed& packed = batch.packed;
  const size_t table = classifier_table();
  if (!z.defined()) {
    return projections.any()
               ? classifier_->projection()->summary_of(projections.rows(table, batch.words), packed)
               : classifier_->summary(embed(embedding_, batch.words), packed);
  }
  const Reading reading = classifier_->read(packed, z);
  const bool all = !reading.rows.defined();
  const at::Tensor words = all ? batch.words : batch.words.index_select(0, reading.rows);
  const at::Tensor weights = all ? z : z.index_select(0, reading.rows);
  return projections.any() ? classifier_->projection()->summary_of(projections.rows(table, words),
                                                                   weights, reading)
                           : classifier_->summary(embed(embedding_, words), weights, reading);
}

at::Tensor RationaleModelImpl::loss_given(const Batch& batch, const at::Tensor& z) {
  const at::NoGradGuard no_grad;
  const Projections projections = Projections::covering(*this, batch.words);
  return task_loss(logits_given(batch, z, projections), batch, log_sigma_);
}

Predictions RationaleModelImpl::predict(const Batch& batch, const Projections& projections) {
  const at::NoGradGuard no_grad;
  Selection selection = select(batch, projections);
  if (options_.gated()) {
    selection.z =
        with_least(chosen(choice_, selection.z, selection.p_zero, batch), selection.p_zero, batch);
  }
  const at::Tensor logits =
      logits_given(batch, options_.selects() ? selection.z : at::Tensor(), projections);
  return {options_.regression ? at::sigmoid(logits) : at::softmax(logits, 1),
          task_loss(logits, batch, log_sigma_), selection.z, selection.p_zero, selection.p_one};
}

}  // namespace hardkuma
