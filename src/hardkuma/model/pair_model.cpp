#include "hardkuma/model/pair_model.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/dropout.h"

namespace hardkuma {
namespace {

constexpr int64_t kDistances = 10;                    // all larger distances share a bias
constexpr ShapeBounds kShapeBounds{1e-3, 100.0, {}};  // as published
constexpr double kLeak = 0.01;                        // slope of b's features below zero

// Gives each use of dropout its own random numbers.
enum Place : uint64_t { kProjected, kAttendHidden, kCompareHidden, kSums, kAggregateHidden };

// No keys: no dropout.
Dropout dropout_at(double p, const at::Tensor& keys, Place place) {
  return keys.defined() && p > 0.0 ? Dropout{p, keys, place} : Dropout{};
}

at::Tensor layer(const Linear& map, const at::Tensor& x, const Dropout& dropout = {}) {
  return rectify(at::mm(x, map->weight.t()), map->bias, dropout);
}

// |i - j| of each cell of a text with itself, at most kDistances.
at::Tensor distances(const Pairs& self) {
  at::Tensor out = at::empty({self.cell_count()}, at::kLong);
  auto* to = out.data_ptr<int64_t>();
  for (const Rows& text : self.first) {
    for (int64_t i = 0; i < text.count; ++i) {
      for (int64_t j = 0; j < text.count; ++j) *to++ = std::min(std::abs(i - j), kDistances);
    }
  }
  return out;
}

}  // namespace

PairModelImpl::PairModelImpl(const PairModelOptions& options, at::Tensor embedding, RandomKey key)
    : options_(options) {
  const int64_t d = embedding.size(1);
  const int64_t h = options.hidden;
  set_embedding(std::move(embedding), options.train_embedding);
  const RandomKey init = key.with(kInitStream);
  const auto feed_forward = [&](const std::string& name, int64_t in, uint64_t number) {
    FeedForward out;
    out.first = register_module(name + "_1", Linear(LinearOptions{in, h}, init.with(number)));
    out.second = register_module(name + "_2", Linear(LinearOptions{h, h}, init.with(number + 1)));
    return out;
  };
  if (recurrent()) {
    encoder_ = register_module("encoder", make_encoder(EncoderKind::Lstm, {d, h}, init.with(20)));
    aggregate_ = feed_forward("aggregate", 8 * h, 10);
  } else {
    projection_ = register_module("projection", Linear(LinearOptions{d, h}, init.with(1)));
    if (options.intra) {
      intra_ = feed_forward("intra", h, 12);
      distance_ = register_parameter("distance", at::zeros({kDistances + 1}));
    }
    const int64_t width = options.intra ? 2 * h : h;
    attend_.push_back(feed_forward(gated() ? "attend_a" : "attend", width, 2));
    if (gated()) attend_.push_back(feed_forward("attend_b", width, 4));
    if (gated() && options.shapes == Shapes::Bias) {
      shape_bias_ = register_parameter("shape_bias", at::zeros({2}));
    }
    compare_ = feed_forward("compare", 2 * width, 6);
    aggregate_ = feed_forward("aggregate", 2 * h, 8);
  }
  output_ = register_parameter(
      "output", xavier_uniform({options.outputs, h}, h, options.outputs, init.with(14)));
}

// Repeated words are projected once.
at::Tensor PairModelImpl::projected(const at::Tensor& words) const {
  // Finding repeated words would wait for the GPU.
  if (words.is_cuda()) return projection_->forward(looked_up(words));
  const auto [distinct, place, counts] =
      at::_unique2(words, /*sorted=*/true, /*return_inverse=*/true);
  return projection_->forward(looked_up(distinct)).index_select(0, place);
}

at::Tensor PairModelImpl::looked_up(const at::Tensor& words) const {
  if (!options_.train_embedding) return embedding_.detach().index_select(0, words);
  // On a GPU, the gradient of index_select is not deterministic.
  return words.is_cuda() ? at::embedding(embedding_, words) : embedding_.index_select(0, words);
}

// [p; what it attends to in its own text], Parikh et al., section 3.4.
at::Tensor PairModelImpl::with_own_text(const at::Tensor& p, const Pairs& pairs) const {
  const Pairs self = Pairs::with_themselves(pairs);
  const at::Tensor f = layer(intra_.second, layer(intra_.first, p));
  const at::Tensor scores =
      pair_scores(f, self, 1).select(0, 0) +
      at::embedding(distance_.unsqueeze(1), distances(self).to(p.device())).squeeze(1);
  return at::cat({p, pair_mix({pair_softmax(scores, {}, self).by_row, {}}, p, self)}, 1);
}

// One product over all words computes the first layers of attention and comparison. The map of
// linked words is linear, so it is applied before their weighted sum. Heads from `attends` on are
// not computed and get no gradient: with a gradient of zero, weight decay would shrink their
// weights to zero.
PairModelImpl::Features PairModelImpl::features(const at::Tensor& p, const Keys& keys,
                                                int64_t attends, int64_t learned) const {
  const int64_t h = options_.hidden;
  const auto count = static_cast<size_t>(attends);
  std::vector<at::Tensor> maps;
  std::vector<at::Tensor> biases;
  const auto stands_still = [&](size_t k) { return static_cast<int64_t>(k) >= learned; };
  for (size_t k = 0; k < count; ++k) {
    const Linear& map = attend_[k].first;
    maps.push_back(stands_still(k) ? map->weight.detach() : map->weight);
    biases.push_back(stands_still(k) ? map->bias.detach() : map->bias);
  }
  for (const at::Tensor& map : compare_maps(p.size(1))) maps.push_back(map);
  const std::vector<at::Tensor> made =
      at::mm(p, at::cat(maps).t()).split_with_sizes({attends * h, h, h}, 1);
  if (count == 0) return {{}, made[1], made[2]};
  const std::vector<at::Tensor> hidden =
      rectify(made[0], at::cat(biases), dropout_at(options_.dropout, keys, kAttendHidden))
          .split(h, 1);
  std::vector<at::Tensor> attend;
  for (size_t k = 0; k < count; ++k) {
    const at::Tensor made_of = attended(k, hidden[k]);
    attend.push_back(stands_still(k) ? made_of.detach() : made_of);
  }
  return {at::cat(attend, 1), made[1], made[2]};
}

// A fifth of the word pairs have no active feature in common. Without the leak their products would
// all be zero, and a threshold could select only all of them or none.
at::Tensor PairModelImpl::attended(size_t head, const at::Tensor& hidden) const {
  const Linear& map = attend_[head].second;
  const bool leaks = head == 1 && options_.shapes == Shapes::Bias;
  return leaks ? at::leaky_relu(map->forward(hidden), kLeak) : layer(map, hidden);
}

std::vector<at::Tensor> PairModelImpl::compare_maps(int64_t width) const {
  return compare_.first->weight.split(width, 1);
}

at::Tensor PairModelImpl::compared(const Features& f, const PairWeights& weights,
                                   const Pairs& pairs, const Keys& keys) const {
  const at::Tensor hidden = rectify(pair_mix(weights, f.others, pairs, f.own), compare_.first->bias,
                                    dropout_at(options_.dropout, keys, kCompareHidden));
  return pair_sums(layer(compare_.second, hidden), pairs);
}

at::Tensor PairModelImpl::aggregated(const at::Tensor& sums, const Keys& keys) const {
  const at::Tensor read = drop(sums, dropout_at(options_.dropout, keys, kSums));
  const at::Tensor hidden =
      layer(aggregate_.first, read, dropout_at(options_.dropout, keys, kAggregateHidden));
  return at::mm(layer(aggregate_.second, hidden), output_.t());
}

at::Tensor PairModelImpl::raw_shapes(const at::Tensor& scores) const {
  const at::Tensor raw = scores.t();  // [C, 2]
  return shape_bias_.defined() ? raw + shape_bias_ : raw;
}

PairWeights PairModelImpl::weights(const at::Tensor& scores, const at::Tensor& z,
                                   const Pairs& pairs) const {
  if (gated() && options_.links == Links::None) return {z, z};
  // Scored by a's product, as without gates; the difference of a's and b's products is worse.
  return pair_softmax(scores.select(0, 0), gated() ? z : at::Tensor(), pairs);
}

at::Tensor PairModelImpl::side_states(const at::Tensor& x, const std::vector<Rows>& side) {
  SideBatch batch = pack_side(side);
  if (x.is_cuda()) batch = batch.to(x.device());
  return encoder_->summary(x.index_select(0, batch.rows), batch.packed)
      .index_select(0, batch.place);
}

namespace {

at::Tensor both_and_differences(const at::Tensor& u, const at::Tensor& v) {
  return at::cat({u, v, at::abs(u - v), u * v}, 1);
}

}  // namespace

TrainingTerms PairModelImpl::train_forward(const Batch& batch, StepKey step, int64_t samples,
                                           Gates gates) {
  const Pairs& pairs = batch.pairs;
  const StepKey drops = step.with(kEmbeddingDropoutStream);
  const Keys words = pair_word_keys(pairs, batch.example_ids, drops);
  const Keys texts = text_keys(batch.example_ids, step.with(kOutputDropoutStream));
  TrainingTerms terms;
  if (recurrent()) {
    const at::Tensor x =
        drop(looked_up(batch.words), dropout_at(options_.dropout, words, kProjected));
    const at::Tensor states =
        both_and_differences(side_states(x, pairs.first), side_states(x, pairs.second));
    terms.task = class_loss(aggregated(states, texts), batch.targets).sum();
    return terms;
  }
  at::Tensor p = drop(projected(batch.words), dropout_at(options_.dropout, words, kProjected));
  if (options_.intra) p = with_own_text(p, pairs);
  // Heads with a task gradient even without sampling: a's, if its scores weight the links.
  const int64_t weighing = !gated() || options_.links == Links::Softmax ? 1 : 0;
  const int64_t attends = gates == Gates::Open ? weighing : heads();
  // Heads without a task gradient are frozen. Near its target the rate has almost no weight, but
  // Adam would take steps as large for it as for the task, and make all gates alike.
  const int64_t learned = gates == Gates::Decided ? weighing : attends;
  const Features f = features(p, words, attends, learned);
  const at::Tensor scores = attends > 0 ? pair_scores(f.attend, pairs, attends) : at::Tensor();
  const auto loss = [&](const at::Tensor& z) {
    const at::Tensor sums = compared(f, weights(scores, z, pairs), pairs, words);
    return class_loss(aggregated(sums, texts), batch.targets).sum();
  };
  if (!gated() || gates == Gates::Open) {
    terms.task = loss(gated() ? at::ones({pairs.cell_count()}, p.options().requires_grad(false))
                              : at::Tensor());
    return terms;
  }
  const at::Tensor raw = raw_shapes(scores);
  at::Tensor decided;
  if (gates == Gates::Decided) {
    const GateValues gate = decide_gates(GateKind::HardKuma, kShapeBounds, raw, choice_.decision);
    decided = chosen(choice_, gate.z, gate.p_zero, batch);
  }
  const int64_t draws = decided.defined() ? 1 : samples;
  const double share = 1.0 / static_cast<double>(draws);
  for (int64_t s = 0; s < draws; ++s) {
    const StepKey draw = step.with(static_cast<uint64_t>(s) << 32);
    const at::Tensor u =
        cell_uniforms(pairs, batch.example_ids, draw.with(kNoiseStream), raw.scalar_type());
    const GateValues gate = sample_gates(GateKind::HardKuma, kShapeBounds, raw, u);
    const at::Tensor task = loss(decided.defined() ? decided : gate.z) * share;
    terms.task = s == 0 ? task : terms.task + task;
    if (s == 0) terms.rate = pairs.mean_by_pair(gate.p_nonzero).sum();
  }
  // The published shapes are never negative, so the bounds do not apply to them.
  if (options_.shapes == Shapes::Bias) {
    terms.bounds = pairs.mean_by_pair(gate_bounds_penalty(GateKind::HardKuma, raw)).sum();
  }
  return terms;
}

std::vector<int64_t> PairModelImpl::table_widths() const {
  if (recurrent()) return {encoder_->projection()->projection_width()};
  if (options_.intra) return {options_.hidden};
  return {heads() * options_.hidden, 2 * options_.hidden};
}

at::Tensor PairModelImpl::table_rows(const at::Tensor& words, size_t table) const {
  const at::NoGradGuard no_grad;
  if (recurrent()) return encoder_->projection()->project(embedding_.index_select(0, words));
  const at::Tensor p = projection_->forward(looked_up(words));
  if (options_.intra) return p;
  if (table == 1) return at::mm(p, at::cat(compare_maps(p.size(1))).t());
  std::vector<at::Tensor> attend;
  for (size_t k = 0; k < attend_.size(); ++k) {
    attend.push_back(attended(k, layer(attend_[k].first, p)));
  }
  return at::cat(attend, 1);
}

PairModelImpl::Features PairModelImpl::predicted_features(const Batch& batch,
                                                          const Projections& projections) const {
  if (!projections.any()) {
    const at::Tensor p = projected(batch.words);
    return features(options_.intra ? with_own_text(p, batch.pairs) : p, {}, heads(), heads());
  }
  if (!options_.intra) {
    const std::vector<at::Tensor> compare =
        projections.gathered(1, batch.words).split(options_.hidden, 1);
    return {projections.gathered(0, batch.words), compare[0], compare[1]};
  }
  return features(with_own_text(projections.gathered(0, batch.words), batch.pairs), {}, heads(),
                  heads());
}

Predictions PairModelImpl::predict(const Batch& batch, const Projections& projections) {
  const at::NoGradGuard no_grad;
  const Pairs& pairs = batch.pairs;
  at::Tensor z = at::ones({pairs.cell_count()}, embedding_.options());
  at::Tensor p_zero = at::zeros_like(z);
  at::Tensor p_one = z;
  at::Tensor logits;
  if (recurrent() && !projections.any()) {
    const at::Tensor x = looked_up(batch.words);
    logits = aggregated(
        both_and_differences(side_states(x, pairs.first), side_states(x, pairs.second)), {});
  } else if (recurrent()) {
    at::Tensor states[2];
    for (const bool second : {false, true}) {
      const SideBatch side = pack_side(second ? pairs.second : pairs.first);
      states[second ? 1 : 0] =
          encoder_->projection()
              ->summary_of(projections.rows(0, batch.words.index_select(0, side.rows)), side.packed)
              .index_select(0, side.place);
    }
    logits = aggregated(both_and_differences(states[0], states[1]), {});
  } else {
    const Features f = predicted_features(batch, projections);
    const at::Tensor scores = pair_scores(f.attend, pairs, heads());
    if (gated()) {
      const at::Tensor raw = raw_shapes(scores);
      const GateValues gate = decide_gates(GateKind::HardKuma, kShapeBounds, raw, choice_.decision);
      p_zero = gate.p_zero;
      z = chosen(choice_, gate.z, p_zero, batch);
      p_one = gate_distribution(GateKind::HardKuma, kShapeBounds, raw)->p_one();
    }
    logits = aggregated(compared(f, weights(scores, z, pairs), pairs, {}), {});
  }
  logits = logits / temperature_;
  return {at::softmax(logits, 1), class_loss(logits, batch.targets), z, p_zero, p_one};
}

}  // namespace hardkuma
