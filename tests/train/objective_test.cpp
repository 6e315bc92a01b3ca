// The gradients that training follows, against the exact ones of small cases.
#include "hardkuma/train/objective.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "hardkuma/model/rationale_model.h"
#include "hardkuma/nn/bi_encoder.h"
#include "hardkuma/nn/gate.h"
#include "support/encoders.h"
#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;

constexpr int kWords = 4;

Batch one_text(int words) {
  std::vector<Example> set(1);
  for (int t = 0; t < words; ++t) set[0].words.push_back(t + 1);
  set[0].target = 1;
  return pack(set, {0});
}

RationaleModel tiny_model(SelectorKind selector, CellKind cell, bool dependent) {
  RationaleModelOptions options;
  options.selector = selector;
  options.encoder = test::encoder_of(cell);
  options.chain_cell = cell;
  options.dependent = dependent;
  options.chain_units = 3;
  options.hidden = 3;
  options.dropout = 0.0;
  at::manual_seed(11);
  RationaleModel model(options, at::randn({6, 4}), RandomKey(5));
  for (auto& p : model->named_parameters()) {
    const at::NoGradGuard no_grad;
    p.value().mul_(1.7);  // so that masks differ in cost
  }
  return model;
}

// States, gates and their probabilities for one forced mask, with gradients.
GateValues forced(RationaleModelImpl& model, const Batch& batch, const std::vector<double>& u) {
  auto modules = model.named_modules();
  const at::Tensor words = model.named_parameters()["embedding"].index_select(0, batch.words);
  const at::Tensor states = modules["selector"]->as<BiEncoderImpl>()->states(words, batch.packed);
  return modules["gate"]->as<GateImpl>()->sample(states, doubles(u).to(at::kFloat), batch.packed);
}

// The exact expected cost: all 2^n masks, each with its probability given the words before. Costs
// of counts, or weights of expectations given those words.
struct Costs {
  double word = 0.0;
  double change = 0.0;
  Controller::Weights expected;
};

at::Tensor enumerated(RationaleModelImpl& model, const Batch& batch, const Costs& costs) {
  at::Tensor total;
  for (int mask = 0; mask < 1 << kWords; ++mask) {
    std::vector<double> u;
    double selected = 0;
    double changes = 0;
    for (int t = 0; t < kWords; ++t) {
      const int on = mask >> t & 1;
      u.push_back(on ? 1.0 - 1e-7 : 1e-7);
      selected += on;
      changes += t > 0 && on != (mask >> (t - 1) & 1);
    }
    const GateValues gate = forced(model, batch, u);
    const at::Tensor probability = at::where(gate.z > 0, gate.p_nonzero, gate.p_zero).prod();
    const double cost = model.loss_given(batch, gate.z.detach()).item<double>() +
                        costs.word * selected + costs.change * changes;
    const at::Tensor expected =
        costs.expected.rate * batch.packed.mean_by_sequence(gate.p_nonzero).sum() +
        costs.expected.lasso *
            expected_transitions(gate.p_zero, gate.p_nonzero, batch.packed).sum();
    const at::Tensor term = probability * (cost + expected);
    total = total.defined() ? total + term : term;
  }
  return total;
}

struct Moments {
  at::Tensor sum;
  at::Tensor square;

  void add(const at::Tensor& values) {
    const at::Tensor exact = values.to(at::kDouble);
    sum = sum.defined() ? sum + exact : exact;
    square = square.defined() ? square + exact * exact : exact * exact;
  }

  // The mean is within a few of its standard errors of the exact value; and these are not so large
  // that this says nothing.
  void expect_near(const at::Tensor& wanted, int64_t draws, const std::string& what) const {
    const auto n = static_cast<double>(draws);
    const at::Tensor mean = sum / n;
    const at::Tensor error = at::sqrt((square / n - mean * mean) / n);
    const at::Tensor distance = at::abs(mean - wanted.to(at::kDouble));
    EXPECT_TRUE((distance <= 4.5 * error + 1e-6).all().item<bool>())
        << what << ": " << (distance / error).max().item<double>() << " standard errors";
    EXPECT_GT(wanted.abs().max().item<double>(), 4.0 * error.max().item<double>())
        << what << ": too noisy to tell anything";
  }
};

// The mean of many sampled gradients of the gate's own weights and of the chain's.
void expect_unbiased(CellKind cell, bool dependent, Objective objective, const Costs& costs) {
  RationaleModel model = tiny_model(GateKind::Bernoulli, cell, dependent);
  const Batch batch = one_text(kWords);
  std::vector<at::Tensor> weights = {model->named_parameters()["gate.shapes.weight"]};
  if (dependent) weights.push_back(model->named_parameters()["gate.chain_w_ih"]);
  const auto exact = torch::autograd::grad({enumerated(*model, batch, costs)}, weights);
  objective.constrained = true;
  objective.dependent = dependent;
  std::vector<Moments> moments(weights.size());
  constexpr int64_t kDraws = 6000;
  for (int64_t draw = 0; draw < kDraws; ++draw) {
    const TrainingTerms terms = model->train_forward(
        batch, RandomKey(77).with(static_cast<uint64_t>(draw)), objective.samples, Gates::Drawn);
    const auto grads = torch::autograd::grad({loss_of(terms, objective)}, weights);
    for (size_t i = 0; i < grads.size(); ++i) moments[i].add(grads[i]);
  }
  for (size_t i = 0; i < moments.size(); ++i) {
    moments[i].expect_near(exact[i], kDraws, i == 0 ? "gate" : "chain");
  }
}

Objective counted_objective() {
  Objective objective;
  objective.counted = true;
  objective.weights = {0.3, 0.2, 0.0};
  return objective;
}

TEST(Reinforce, ItsMeanGradientIsTheExactOneOfEquationFour) {
  for (const CellKind cell : {CellKind::Rcnn, CellKind::Lstm}) {
    for (const bool dependent : {false, true}) {
      Objective objective = counted_objective();
      objective.baseline = 0.9;
      expect_unbiased(cell, dependent, objective, {0.3, 0.2, {}});
    }
  }
}

TEST(Reinforce, NoBaselineAndSeveralSamplesGiveTheSameMean) {
  Objective objective = counted_objective();
  objective.samples = 2;
  expect_unbiased(CellKind::Rcnn, true, objective, {0.3, 0.2, {}});
}

TEST(Reinforce, TheOtherSamplesAsBaselineGiveTheSameMean) {
  Objective objective = counted_objective();
  objective.samples = 3;
  objective.leave_one_out = true;
  expect_unbiased(CellKind::Rcnn, true, objective, {0.3, 0.2, {}});
}

TEST(Reinforce, ControlledPenaltiesGiveTheExactGradientToo) {
  for (const bool dependent : {false, true}) {
    Objective objective;
    objective.weights = {1.2, 0.8, 0.0};
    objective.baseline = 0.5;
    expect_unbiased(CellKind::Rcnn, dependent, objective, {0.0, 0.0, objective.weights});
  }
}

TEST(Reinforce, TheBaselineMakesItQuieter) {
  RationaleModel model = tiny_model(GateKind::Bernoulli, CellKind::Rcnn, false);
  const Batch batch = one_text(kWords);
  const at::Tensor weight = model->named_parameters()["gate.shapes.weight"];
  Objective objective;
  objective.constrained = true;
  objective.counted = true;
  const auto terms_of = [&](uint64_t draw) {
    return model->train_forward(batch, RandomKey(3).with(draw), 1, Gates::Drawn);
  };
  RunningMean mean;
  for (uint64_t draw = 0; draw < 300; ++draw) {
    mean.add(1.0 + text_costs(terms_of(draw).score, objective).mean().item<double>());
  }
  double spread[2] = {0.0, 0.0};
  for (uint64_t draw = 300; draw < 600; ++draw) {
    TrainingTerms terms = terms_of(draw);
    terms.score.task = terms.score.task + 1.0;  // a cost that no selection avoids
    for (const bool with : {false, true}) {
      objective.baseline = with ? mean.value() : 0.0;
      const at::Tensor grad = torch::autograd::grad({loss_of(terms, objective)}, {weight}, {},
                                                    /*retain_graph=*/true)[0];
      spread[with ? 1 : 0] += grad.square().sum().item<double>();
    }
  }
  EXPECT_LT(spread[1], 0.6 * spread[0]);
}

// With an LSTM, to which a word with z = 0 is a zero vector. The RCNN of the paper skips such a
// word instead: its loss jumps as z leaves 0, and a gradient through z cannot see a jump. HardKuma:
// the expected loss as an integral over both words' noise on a fine grid, its gradient by
// differences of that integral, against the mean of sampled gradients.
TEST(HardKumaGradient, ItsMeanIsThatOfTheNumericalIntegral) {
  RationaleModel model = tiny_model(GateKind::HardKuma, CellKind::Lstm, true);
  const Batch batch = one_text(2);
  const at::Tensor bias = model->named_parameters()["gate.shapes.bias"];
  const auto expected_loss = [&] {
    const at::NoGradGuard no_grad;
    constexpr int kGrid = 120;
    std::vector<Example> set(1);
    set[0].words = {1, 2};
    set[0].target = 1;
    const Batch many = pack(std::vector<Example>(kGrid * kGrid, set[0]), [] {
      std::vector<int64_t> all(kGrid * kGrid);
      for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
      return all;
    }());
    std::vector<double> u(2 * kGrid * kGrid);
    for (int i = 0; i < kGrid; ++i) {
      for (int j = 0; j < kGrid; ++j) {
        u[static_cast<size_t>(i * kGrid + j)] = (i + 0.5) / kGrid;
        u[static_cast<size_t>(kGrid * kGrid + i * kGrid + j)] = (j + 0.5) / kGrid;
      }
    }
    const GateValues gate = forced(*model, many, u);
    return (model->loss_given(many, gate.z).to(at::kDouble).mean() +
            1.5 * many.packed.mean_by_sequence(gate.p_nonzero.to(at::kDouble)).mean())
        .item<double>();
  };
  std::vector<double> exact;
  for (int64_t k = 0; k < 2; ++k) {
    constexpr double kStep = 0.05;
    const auto moved = [&](double by) {
      const at::NoGradGuard no_grad;
      bias[k] += by;
      const double value = expected_loss();
      bias[k] -= by;
      return value;
    };
    exact.push_back((moved(kStep) - moved(-kStep)) / (2 * kStep));
  }
  Objective objective;
  objective.constrained = true;
  objective.weights.rate = 1.5;
  Moments moments;
  constexpr int64_t kDraws = 8000;
  for (int64_t draw = 0; draw < kDraws; ++draw) {
    const TrainingTerms terms = model->train_forward(
        batch, RandomKey(5).with(static_cast<uint64_t>(draw)), 1, Gates::Drawn);
    moments.add(torch::autograd::grad({loss_of(terms, objective)}, {bias})[0]);
  }
  moments.expect_near(doubles(exact), kDraws, "bias");
}

TEST(RunningMean, ForgetsAndStartsUnbiased) {
  RunningMean mean;
  EXPECT_EQ(mean.value(), 0.0);
  mean.add(3.0);
  EXPECT_NEAR(mean.value(), 3.0, 1e-12);
  for (int i = 0; i < 500; ++i) mean.add(1.0);
  EXPECT_NEAR(mean.value(), 1.0, 1e-9);
}

TEST(TrivialLoss, IsEntropyOrVariance) {
  std::vector<Example> set(4);
  set[0].target = 1;
  Config config;
  config.task.labels = {"a", "b"};
  EXPECT_NEAR(trivial_loss(set, config), -(0.25 * std::log(0.25) + 0.75 * std::log(0.75)), 1e-12);
  config.task = {true, {}, 0.0, 1.0};
  EXPECT_NEAR(trivial_loss(set, config), 3.0 / 16.0, 1e-12);
  for (Example& example : set) example.targets = {static_cast<float>(example.target), 0.5f};
  config.task.labels = {"look", "smell"};
  EXPECT_NEAR(trivial_loss(set, config), 0.5 * 3.0 / 16.0, 1e-12);
}

TEST(ClassWeights, GrowWithTheRootOfWhatARareClassLacks) {
  Config config;
  config.task.labels = {"ham", "spam"};
  std::vector<Example> train(1000);
  for (size_t i = 0; i < 20; ++i) train[i].target = 1;
  EXPECT_FALSE(class_weights(train, config).defined());  // unless asked for
  config.train.balance = Balance::Auto;
  const at::Tensor weights = class_weights(train, config);
  EXPECT_NEAR((weights[1] / weights[0]).item<double>(), 5.0, 1e-5);  // sqrt(500 / 20)
  EXPECT_NEAR((980 * weights[0] + 20 * weights[1]).item<double>(), 1000.0, 1e-2);
  for (size_t i = 0; i < 200; ++i) train[i].target = 1;
  EXPECT_FALSE(class_weights(train, config).defined());  // no longer rare
}

TEST(PriorLogits, AreTheClassesShares) {
  Config config;
  config.task.labels = {"a", "b", "c"};
  std::vector<Example> train(999);
  for (size_t i = 0; i < 333; ++i) train[i].target = 1;
  const at::Tensor p = at::softmax(prior_logits(train, config), 0);
  EXPECT_NEAR(p[0].item<double>(), 2.0 / 3.0, 2e-3);
  EXPECT_NEAR(p[1].item<double>(), 1.0 / 3.0, 2e-3);
  EXPECT_GT(p[2].item<double>(), 0.0);  // never impossible
}

}  // namespace
}  // namespace hardkuma
