#include "hardkuma/model/rationale_model.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <map>

#include "support/encoders.h"
#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;
using test::expect_gradients;

Batch small_batch() {
  std::vector<Example> set(3);
  set[0].words = {1, 2, 3, 4};
  set[1].words = {2};
  set[2].words = {4, 0, 1};
  set[0].target = 1;
  return pack(set, {0, 1, 2});
}

RationaleModel small_model(SelectorKind selector = GateKind::HardKuma, bool regression = false) {
  RationaleModelOptions options;
  options.selector = selector;
  options.regression = regression;
  options.outputs = regression ? 1 : 2;
  options.hidden = 3;
  options.dropout = 0.25;
  at::manual_seed(4);
  return RationaleModel(options, at::randn({5, 4}), RandomKey(1));
}

TEST(Penalties, GradientsAgreeWithDifferences) {
  const Packed packed({3, 2, 1});
  const at::Tensor p0 = doubles({0.9, 0.2, 0.5, 0.4, 0.7, 0.1});
  expect_gradients([&](const auto& in) { return packed.mean_by_sequence(1 - in[0]); }, {p0});
  expect_gradients([&](const auto& in) { return expected_transitions(in[0], 1 - in[0], packed); },
                   {p0});
}

// The independent route: enumerate all assignments of zero / non-zero.
TEST(Penalties, EqualTheExpectationOverAllAssignments) {
  const Packed packed({4});
  const std::vector<double> p0 = {0.9, 0.2, 0.5, 0.35};
  double rate = 0;
  double transitions = 0;
  for (int mask = 0; mask < 16; ++mask) {
    double probability = 1;
    int selected = 0;
    int changes = 0;
    for (int t = 0; t < 4; ++t) {
      const int on = mask >> t & 1;
      probability *= on ? 1 - p0[static_cast<size_t>(t)] : p0[static_cast<size_t>(t)];
      selected += on;
      changes += t > 0 && on != (mask >> (t - 1) & 1);
    }
    rate += probability * selected / 4;
    transitions += probability * changes / 4;
  }
  EXPECT_NEAR(packed.mean_by_sequence(1 - doubles(p0)).sum().item<double>(), rate, 1e-12);
  EXPECT_NEAR(expected_transitions(doubles(p0), 1 - doubles(p0), packed).sum().item<double>(),
              transitions, 1e-12);
}

TEST(Penalties, AOneWordTextHasNoTransitions) {
  EXPECT_EQ(expected_transitions(doubles({0.5}), doubles({0.5}), Packed({1})).sum().item<double>(),
            0.0);
}

TEST(RationaleModel, UnselectedWordsCannotChangeThePrediction) {
  RationaleModel model = small_model();
  const Batch batch = small_batch();
  // Close every gate.
  for (auto& p : model->named_parameters()) {
    if (p.key() != "gate.shapes.bias") continue;
    const at::NoGradGuard no_grad;
    p.value()[0] = -3.0;
    p.value()[1] = 4.0;
  }
  const Predictions closed = model->predict(batch);
  EXPECT_EQ(closed.z.abs().max().item<float>(), 0.0f);
  Batch other = batch;
  other.words = (batch.words + 1).remainder(5);
  EXPECT_TRUE(at::equal(model->predict(other).scores, closed.scores));
}

// The sizes of the paper's beer models: by the first part of the parameters' names.
std::map<std::string, int64_t> published_counts(SelectorKind selector, CellKind cell) {
  RationaleModelOptions options;
  options.selector = selector;
  options.encoder = test::encoder_of(cell);
  options.chain_cell = cell;
  options.dependent = true;
  options.regression = true;
  options.outputs = 1;
  options.hidden = 200;
  options.train_embedding = false;
  const RationaleModel model(options, at::zeros({1, 200}), RandomKey(1));
  std::map<std::string, int64_t> counts;
  for (const auto& p : model->named_parameters()) {
    counts[p.key().substr(0, p.key().find('.'))] += p.value().numel();
  }
  return counts;
}

TEST(RationaleModel, HasThePublishedParameterCounts) {
  auto hard_kuma = published_counts(GateKind::HardKuma, CellKind::Rcnn);
  EXPECT_EQ(hard_kuma["selector"], 320800);
  EXPECT_EQ(hard_kuma["selector"] + hard_kuma["gate"], 358712);
  EXPECT_EQ(hard_kuma["classifier"] + hard_kuma["output"], 321201);
  auto bernoulli = published_counts(GateKind::Bernoulli, CellKind::Rcnn);
  EXPECT_EQ(bernoulli["selector"] + bernoulli["gate"], 358281);
  auto full_text = published_counts(SelectorKind::None, CellKind::Rcnn);
  EXPECT_EQ(full_text["classifier"], 320800);
  EXPECT_EQ(full_text.size(), 3u);  // embedding, classifier, output
  EXPECT_EQ(published_counts(SelectorKind::None, CellKind::Lstm)["classifier"], 643200);
}

// The words attention would pick, and nothing of the classifier's loss reaches the selector.
TEST(RationaleModel, AttentionChoosesItsTopWordsAndLearnsApartFromTheClassifier) {
  RationaleModel model = small_model(SelectorKind::Attention);
  const Batch batch = small_batch();
  const Predictions predictions = model->predict(batch);
  EXPECT_EQ(predictions.z.sum().item<float>(), 3.0f);  // one of each text at 15%
  for (int64_t i = 0; i < 3; ++i) {
    double weights = 0.0;
    double chosen = -1.0;
    double most = 0.0;
    for (int64_t t = 0; t < batch.packed.lengths[static_cast<size_t>(i)]; ++t) {
      const int64_t row = batch.packed.row(t, i);
      const double weight = predictions.p_one[row].item<double>();
      weights += weight;
      most = std::max(most, weight);
      if (predictions.z[row].item<float>() > 0) chosen = weight;
    }
    EXPECT_NEAR(weights, 1.0, 1e-5);
    EXPECT_EQ(chosen, most);
  }
  const TrainingTerms terms = model->train_forward(batch, RandomKey(9), 1, Gates::Drawn);
  const auto by_name = model->named_parameters();
  const auto reaches = [&](const at::Tensor& loss, const std::string& name) {
    return torch::autograd::grad({loss}, {by_name[name]}, {}, true, false, true)[0].defined();
  };
  EXPECT_FALSE(reaches(terms.task, "selector.w_ih"));
  EXPECT_FALSE(reaches(terms.task, "attention.weight"));
  EXPECT_TRUE(reaches(terms.task, "classifier.w_ih"));
  EXPECT_TRUE(reaches(terms.selector, "attention.weight"));
  EXPECT_FALSE(reaches(terms.selector, "classifier.w_ih"));
}

TEST(LogitNormal, IsADensityAndItsGradientAgreesWithDifferences) {
  const at::Tensor m = doubles({0.4, -1.2}).unsqueeze(0);
  const at::Tensor log_sigma = doubles({-0.3, 0.2});
  expect_gradients(
      [&](const auto& in) {
        return logit_normal_loss(in[0], in[1], doubles({0.3, 0.9}).unsqueeze(0));
      },
      {m, log_sigma});
  // Integrates to what a normal has between the logits of 0.01 and 0.99.
  for (int64_t k = 0; k < 2; ++k) {
    double mass = 0.0;
    constexpr int kSteps = 20000;
    for (int i = 0; i < kSteps; ++i) {
      const double y = 0.01 + 0.98 * (i + 0.5) / kSteps;
      mass += std::exp(-logit_normal_loss(m, log_sigma, at::full({1, 2}, y, at::kDouble))[0][k]
                            .item<double>()) *
              0.98 / kSteps;
    }
    const double sigma = std::exp(log_sigma[k].item<double>());
    const double mean = m[0][k].item<double>();
    const double end = std::log(0.99 / 0.01);
    const auto below = [&](double x) { return 0.5 * std::erfc((mean - x) / sigma / std::sqrt(2)); };
    EXPECT_NEAR(mass, below(end) - below(-end), 1e-6);
  }
  // Scores of 0 and 1 stay finite.
  EXPECT_TRUE(at::isfinite(logit_normal_loss(m, log_sigma, doubles({0.0, 1.0}).unsqueeze(0)))
                  .all()
                  .item<bool>());
}

TEST(RationaleModel, PredictsSeveralValues) {
  RationaleModelOptions options;
  options.regression = true;
  options.outputs = 2;
  options.hidden = 3;
  options.dropout = 0.0;
  for (const Likelihood likelihood : {Likelihood::Squared, Likelihood::LogitNormal}) {
    options.likelihood = likelihood;
    RationaleModel model(options, at::randn({5, 4}), RandomKey(1));
    std::vector<Example> set(2);
    set[0].words = {4};  // the longer one comes first in the batch
    set[1].words = {1, 2, 3};
    set[0].targets = {0.5f, 0.1f};
    set[1].targets = {0.2f, 0.9f};
    const Batch batch = pack(set, {0, 1});
    const Predictions p = model->predict(batch);
    EXPECT_EQ(p.scores.sizes(), (std::vector<int64_t>{2, 2}));
    if (likelihood == Likelihood::Squared) {
      const at::Tensor error = p.scores - at::tensor({0.2f, 0.9f, 0.5f, 0.1f}).view({2, 2});
      EXPECT_TRUE(at::allclose(p.task_loss, (error * error).mean(1), 1e-5, 1e-6));
    }
    const TrainingTerms terms = model->train_forward(batch, RandomKey(9), 1, Gates::Drawn);
    for (const at::Tensor& grad :
         torch::autograd::grad({terms.task + terms.rate}, model->trained_parameters())) {
      EXPECT_GT(grad.abs().sum().item<float>(), 0.0f);
    }
  }
}

// Skipping every word leaves the RCNN at its start, whatever the text.
TEST(RationaleModel, AnRcnnThatReadsNothingSaysTheSameOfEveryText) {
  RationaleModelOptions options;
  options.encoder = test::encoder_of(CellKind::Rcnn);
  options.chain_cell = CellKind::Rcnn;
  options.dependent = true;
  options.hidden = 3;
  RationaleModel model(options, at::randn({5, 4}), RandomKey(1));
  for (auto& p : model->named_parameters()) {
    if (p.key() != "gate.shapes.bias") continue;
    const at::NoGradGuard no_grad;
    p.value()[0] = -8.0;
    p.value()[1] = 8.0;
  }
  const Predictions closed = model->predict(small_batch());
  EXPECT_EQ(closed.z.abs().max().item<float>(), 0.0f);
  EXPECT_TRUE(at::equal(closed.scores[0], closed.scores[1]));
  EXPECT_TRUE(at::equal(closed.scores[0], closed.scores[2]));
}

TEST(RationaleModel, EveryTrainedParameterGetsAGradient) {
  for (const bool regression : {false, true}) {
    RationaleModel model = small_model(GateKind::HardKuma, regression);
    const TrainingTerms terms = model->train_forward(small_batch(), RandomKey(9), 2, Gates::Drawn);
    const at::Tensor loss = terms.task + terms.rate + terms.transitions;
    const auto grads = torch::autograd::grad({loss}, model->trained_parameters());
    for (const at::Tensor& grad : grads) EXPECT_GT(grad.abs().sum().item<float>(), 0.0f);
  }
}

TEST(RationaleModel, DecidedGatesStandStill) {
  RationaleModel model = small_model();
  const TrainingTerms terms = model->train_forward(small_batch(), RandomKey(9), 1, Gates::Decided);
  const at::Tensor loss = terms.task + terms.rate + terms.transitions + terms.bounds;
  for (const auto& item : model->named_parameters()) {
    const auto found = torch::autograd::grad({loss}, {item.value()}, {}, true, false, true);
    const bool selector = item.key().starts_with("selector") || item.key().starts_with("gate");
    EXPECT_EQ(found[0].defined(), !selector) << item.key();
  }
}

TEST(RationaleModel, TermsOfASplitBatchAddUp) {
  RationaleModel model = small_model();
  std::vector<Example> set(4);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t t = 0; t <= i; ++t) set[i].words.push_back(static_cast<int32_t>((t + i) % 5));
  }
  const auto whole = model->train_forward(pack(set, {0, 1, 2, 3}), RandomKey(3), 1, Gates::Drawn);
  const auto left = model->train_forward(pack(set, {0, 1}), RandomKey(3), 1, Gates::Drawn);
  const auto right = model->train_forward(pack(set, {2, 3}), RandomKey(3), 1, Gates::Drawn);
  EXPECT_NEAR(whole.task.item<float>(), (left.task + right.task).item<float>(), 1e-4);
  EXPECT_NEAR(whole.rate.item<float>(), (left.rate + right.rate).item<float>(), 1e-5);
  EXPECT_NEAR(whole.transitions.item<float>(), (left.transitions + right.transitions).item<float>(),
              1e-5);
}

TEST(RationaleModel, FullTextSelectsEverything) {
  RationaleModel model = small_model(SelectorKind::None);
  EXPECT_EQ(model->predict(small_batch()).z.min().item<float>(), 1.0f);
  EXPECT_FALSE(model->train_forward(small_batch(), RandomKey(1), 1, Gates::Drawn).rate.defined());
}

TEST(RationaleModel, FixedEmbeddingsAreNotTrained) {
  RationaleModelOptions options;
  options.hidden = 2;
  options.train_embedding = false;
  RationaleModel model(options, at::randn({5, 4}), RandomKey(1));
  for (const at::Tensor& p : model->trained_parameters()) EXPECT_NE(p.size(0), 5);
}

TEST(RationaleModel, BinaryDecisionIsZeroOrOne) {
  RationaleModelOptions options;
  options.hidden = 3;
  RationaleModel model(options, at::randn({5, 4}), RandomKey(1));
  const at::Tensor z = model->predict(small_batch()).z;
  EXPECT_TRUE(at::logical_or(z == 0, z == 1).all().item<bool>());
}

TEST(RationaleModel, SelectsByThresholdOrBudgetAndClassifiesWhatItSelected) {
  for (const bool dependent : {false, true}) {
    for (const auto cell : {CellKind::Lstm, CellKind::Rcnn}) {
      RationaleModelOptions options;
      options.hidden = 3;
      options.encoder = test::encoder_of(cell);
      options.chain_cell = cell;
      options.dependent = dependent;
      RationaleModel model(options, at::randn({5, 4}), RandomKey(1));
      const Batch batch = small_batch();
      const Predictions plain = model->predict(batch);
      const double middle = 1.0 - plain.p_zero.median().item<double>();
      model->set_choice({Decision::Binary, middle, 0.0, 0});
      const Predictions by_threshold = model->predict(batch);
      EXPECT_TRUE(at::equal(by_threshold.z, (plain.p_zero <= 1.0 - middle).to(at::kFloat)));
      EXPECT_TRUE(at::equal(by_threshold.p_zero, plain.p_zero));
      EXPECT_TRUE(
          at::allclose(by_threshold.task_loss, model->loss_given(batch, by_threshold.z), 1e-5));
      for (const double budget : {0.01, 0.3, 0.6, 1.0}) {
        for (const int64_t spans : {0, 1}) {
          model->set_choice({Decision::Binary, 0.0, budget, spans});
          const Predictions chosen = model->predict(batch);
          for (int64_t i = 0; i < batch.examples(); ++i) {
            double selected = 0.0;
            const std::vector<int64_t> units = batch.units_of(i);
            for (const int64_t unit : units) selected += chosen.z[unit].item<double>();
            const auto n = static_cast<double>(units.size());
            EXPECT_EQ(selected, std::max(1.0, std::round(budget * n)));
          }
          EXPECT_TRUE(at::allclose(chosen.task_loss, model->loss_given(batch, chosen.z), 1e-5));
        }
      }
    }
  }
}

TEST(RationaleModel, WithOneEncoderHasNoSecondAndLearnsThroughBoth) {
  RationaleModelOptions options;
  options.hidden = 3;
  options.shared = true;
  RationaleModel model(options, at::randn({5, 4}), RandomKey(1));
  for (const auto& item : model->named_parameters()) {
    EXPECT_FALSE(item.key().starts_with("selector")) << item.key();
  }
  const TrainingTerms terms = model->train_forward(small_batch(), RandomKey(2), 1, Gates::Drawn);
  const auto gradient = [&](const at::Tensor& of) {
    return torch::autograd::grad({of}, model->trained_parameters(), {}, true, false, true);
  };
  const auto names = model->named_parameters();
  size_t i = 0;
  const auto by_task = gradient(terms.task);
  const auto by_rate = gradient(terms.rate);
  for (const auto& item : names) {
    if (!item.value().requires_grad()) continue;
    if (item.key().starts_with("classifier")) {
      EXPECT_TRUE(by_task[i].defined() && by_rate[i].defined()) << item.key();
    }
    ++i;
  }
}

TEST(RationaleModel, OfSeveralSelectorsAllLearnAndTheFirstSelects) {
  RationaleModelOptions options;
  options.hidden = 3;
  options.selectors = 3;
  const at::Tensor vectors = at::randn({5, 4});
  RationaleModel model(options, vectors.clone(), RandomKey(1));
  const Batch batch = small_batch();
  const TrainingTerms terms = model->train_forward(batch, RandomKey(2), 2, Gates::Drawn);
  const auto grads =
      torch::autograd::grad({terms.task}, model->trained_parameters(), {}, true, false, true);
  size_t i = 0;
  int64_t gates = 0;
  for (const auto& item : model->named_parameters()) {
    if (!item.value().requires_grad()) continue;
    if (item.key().starts_with("gate")) {
      ++gates;
      EXPECT_TRUE(grads[i].defined()) << item.key();
    }
    ++i;
  }
  EXPECT_EQ(gates, 6);
  // The first is that of a model with one, whose weights start the same.
  options.selectors = 1;
  RationaleModel alone(options, vectors.clone(), RandomKey(1));
  EXPECT_TRUE(at::equal(model->predict(batch).p_zero, alone->predict(batch).p_zero));
  // Each term is a mean over them: at most one word in one.
  EXPECT_LE(terms.rate.item<double>(), 3.0);
}

TEST(RationaleModel, PenalisesEntropyOnTopOfTheBounds) {
  const auto bounds = [](double entropy) {
    RationaleModelOptions options;
    options.hidden = 3;
    options.entropy = entropy;
    RationaleModel model(options, at::full({5, 4}, 0.1), RandomKey(1));
    return model->train_forward(small_batch(), RandomKey(2), 1, Gates::Drawn).bounds.item<double>();
  };
  const double added = bounds(0.5) - bounds(0.0);
  EXPECT_GT(added, 0.0);
  EXPECT_NEAR(bounds(1.0) - bounds(0.0), 2.0 * added, 1e-5);
  // At most log 2 a gate.
  EXPECT_LE(added, 0.5 * std::log(2.0) * static_cast<double>(small_batch().examples()) + 1e-6);
}

RationaleModel floored_model(GateKind kind, bool dependent, double floor) {
  RationaleModelOptions options;
  options.selector = kind;
  options.hidden = 3;
  options.dropout = 0.0;
  options.encoder = test::encoder_of(CellKind::Rcnn);
  options.chain_cell = CellKind::Rcnn;
  options.reading = ReadingRule::Fade;
  options.dependent = dependent;
  options.linear = true;
  options.floor = floor;
  RationaleModel model(options, at::randn({5, 4}), RandomKey(1));
  const at::NoGradGuard no_grad;
  for (auto& p : model->named_parameters()) {
    if (p.key() != "gate.shapes.bias") continue;
    p.value()[0] = -8.0;  // every gate is all but closed
    if (kind == GateKind::HardKuma) p.value()[1] = 4.0;
  }
  return model;
}

// In training and at prediction, by threshold or by each gate, of every kind.
TEST(RationaleModel, WithAFloorEveryTextKeepsItsLikeliestWords) {
  for (const GateKind kind : {GateKind::HardKuma, GateKind::HardConcrete, GateKind::Bernoulli}) {
    for (const bool dependent : {false, true}) {
      RationaleModel model = floored_model(kind, dependent, 0.5);
      const Batch batch = small_batch();
      for (const double threshold : {0.0, 0.9}) {
        model->set_choice({Decision::Binary, threshold, 0.0, 0});
        const Predictions p = model->predict(batch);
        for (int64_t i = 0; i < 3; ++i) {
          double selected = 0.0;
          for (const int64_t unit : batch.units_of(i)) selected += p.z[unit].item<double>();
          const auto words = batch.packed.lengths[static_cast<size_t>(i)];
          EXPECT_EQ(selected, words == 4 ? 2.0 : 1.0);
        }
      }
      const TrainingTerms terms = model->train_forward(batch, RandomKey(9), 1, Gates::Drawn);
      EXPECT_GE(terms.rate.item<double>(), 2.0 / 4 + 1.0 / 3 + 1.0 - 1e-3);
      // A budget is the user's word.
      model->set_choice({Decision::Binary, 0.0, 0.01, 0});
      EXPECT_EQ(model->predict(batch).z.sum().item<float>(), 3.0f);
    }
  }
}

TEST(RationaleModel, WhatOnlyUnknownWordsAreSelectedFromIsAnsweredByThePrior) {
  RationaleModel model = floored_model(GateKind::HardKuma, false, 0.1);
  model->set_prior(at::log(at::tensor({0.2f, 0.8f})));
  std::vector<Example> set(2);
  set[0].words = {0, 0};
  set[1].words = {3, 0};
  const Predictions p = model->predict(pack(set, {0, 1}));
  EXPECT_NEAR(p.scores[0][1].item<double>(), 0.8, 1e-6);
  EXPECT_GT(std::abs(p.scores[1][1].item<double>() - 0.8), 1e-3);
}

TEST(RationaleModel, ATemperatureChangesProbabilitiesAndNoAnswer) {
  RationaleModel model = small_model();
  const Predictions plain = model->predict(small_batch());
  model->set_temperature(2.0);
  const Predictions milder = model->predict(small_batch());
  EXPECT_TRUE(at::equal(plain.z, milder.z));
  EXPECT_TRUE(at::equal(plain.scores.argmax(1), milder.scores.argmax(1)));
  const at::Tensor root = at::sqrt(plain.scores);
  EXPECT_TRUE(at::allclose(milder.scores, root / root.sum(1, true), 1e-5));
}

// A class's weight multiplies its texts' losses in training, and only there.
TEST(RationaleModel, ClassWeightsWeighTheTrainingLoss) {
  RationaleModel model = small_model(SelectorKind::None);
  const Batch batch = small_batch();
  const double plain =
      model->train_forward(batch, RandomKey(1), 1, Gates::Open).task.item<double>();
  const at::Tensor before = model->predict(batch).task_loss;
  model->set_class_weights(at::tensor({3.0f, 3.0f}));
  EXPECT_NEAR(model->train_forward(batch, RandomKey(1), 1, Gates::Open).task.item<double>(),
              3.0 * plain, 1e-4);
  model->set_class_weights(at::tensor({1.0f, 2.0f}));
  EXPECT_GT(model->train_forward(batch, RandomKey(1), 1, Gates::Open).task.item<double>(), plain);
  EXPECT_TRUE(at::equal(model->predict(batch).task_loss, before));
}

// The term is the cross entropy with the full text's answer, less its entropy: never negative, and
// zero where the selection says the same.
TEST(RationaleModel, MatchingDrawsTheSelectionTowardsTheFullText) {
  RationaleModelOptions options;
  options.hidden = 3;
  options.dropout = 0.0;
  options.match = 1.0;
  options.open_at_start = true;
  RationaleModel model(options, at::randn({5, 4}), RandomKey(1));
  const Batch batch = small_batch();
  const TrainingTerms terms = model->train_forward(batch, RandomKey(9), 1, Gates::Drawn);
  ASSERT_TRUE(terms.selector.defined());
  const at::Tensor full = model->loss_given(batch, at::ones({batch.packed.rows()}));
  EXPECT_GE(terms.selector.item<double>(), full.sum().item<double>() - 1e-4);
  options.match = 0.0;
  RationaleModel without(options, at::randn({5, 4}), RandomKey(1));
  EXPECT_FALSE(without->train_forward(batch, RandomKey(9), 1, Gates::Drawn).selector.defined());
}

}  // namespace
}  // namespace hardkuma
