#include "hardkuma/model/rationale_model.h"

#include <cmath>

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

RationaleModel small_model(bool selects = true, bool regression = false) {
  RationaleModelOptions options;
  options.selects = selects;
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
  expect_gradients([&](const auto& in) { return expected_rate(1 - in[0], packed); }, {p0});
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
  EXPECT_NEAR(expected_rate(1 - doubles(p0), packed).item<double>(), rate, 1e-12);
  EXPECT_NEAR(expected_transitions(doubles(p0), 1 - doubles(p0), packed).item<double>(),
              transitions, 1e-12);
}

TEST(Penalties, AOneWordTextHasNoTransitions) {
  EXPECT_EQ(expected_transitions(doubles({0.5}), doubles({0.5}), Packed({1})).item<double>(), 0.0);
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

TEST(RationaleModel, HasThePublishedParameterCounts) {
  RationaleModelOptions options;
  options.cell = CellKind::Rcnn;
  options.dependent = true;
  options.regression = true;
  options.outputs = 1;
  options.hidden = 200;
  options.train_embedding = false;
  const RationaleModel model(options, at::zeros({1, 200}), RandomKey(1));
  int64_t count = 0;
  for (const at::Tensor& p : model->trained_parameters()) count += p.numel();
  EXPECT_EQ(count, 358712 + 321201);
}

// Skipping every word leaves the RCNN at its start, whatever the text.
TEST(RationaleModel, AnRcnnThatReadsNothingSaysTheSameOfEveryText) {
  RationaleModelOptions options;
  options.cell = CellKind::Rcnn;
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
    RationaleModel model = small_model(true, regression);
    const TrainingTerms terms = model->train_forward(small_batch(), RandomKey(9), 2, false);
    const at::Tensor loss = terms.task + terms.rate + terms.transitions;
    const auto grads = torch::autograd::grad({loss}, model->trained_parameters());
    for (const at::Tensor& grad : grads) EXPECT_GT(grad.abs().sum().item<float>(), 0.0f);
  }
}

TEST(RationaleModel, TermsOfASplitBatchAddUp) {
  RationaleModel model = small_model();
  std::vector<Example> set(4);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t t = 0; t <= i; ++t) set[i].words.push_back(static_cast<int32_t>((t + i) % 5));
  }
  const auto whole = model->train_forward(pack(set, {0, 1, 2, 3}), RandomKey(3), 1, false);
  const auto left = model->train_forward(pack(set, {0, 1}), RandomKey(3), 1, false);
  const auto right = model->train_forward(pack(set, {2, 3}), RandomKey(3), 1, false);
  EXPECT_NEAR(whole.task.item<float>(), (left.task + right.task).item<float>(), 1e-4);
  EXPECT_NEAR(whole.rate.item<float>(), (left.rate + right.rate).item<float>(), 1e-5);
  EXPECT_NEAR(whole.transitions.item<float>(), (left.transitions + right.transitions).item<float>(),
              1e-5);
}

TEST(RationaleModel, FullTextSelectsEverything) {
  RationaleModel model = small_model(false);
  EXPECT_EQ(model->predict(small_batch()).z.min().item<float>(), 1.0f);
  EXPECT_FALSE(model->train_forward(small_batch(), RandomKey(1), 1, false).rate.defined());
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
  options.decision = Decision::Binary;
  RationaleModel model(options, at::randn({5, 4}), RandomKey(1));
  const at::Tensor z = model->predict(small_batch()).z;
  EXPECT_TRUE(at::logical_or(z == 0, z == 1).all().item<bool>());
}

}  // namespace
}  // namespace hardkuma
