#include "hardkuma/eval/evaluation.h"

#include <nlohmann/json.hpp>

#include "hardkuma/eval/evaluation_fields.h"
#include "hardkuma/model/predictor.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/model/rationale_model.h"
#include "hardkuma/nn/threads.h"
#include "support/encoders.h"

namespace hardkuma {
namespace {

Example example(int words, double target, std::vector<uint8_t> gold = {}) {
  Example e;
  for (int i = 0; i < words; ++i) e.words.push_back(i % 5);
  e.tokens.resize(static_cast<size_t>(words));
  e.target = target;
  e.has_gold = !gold.empty();
  e.gold = std::move(gold);
  return e;
}

ExamplePrediction prediction(std::vector<float> scores, std::vector<float> z) {
  ExamplePrediction p;
  p.scores = std::move(scores);
  p.z = std::move(z);
  return p;
}

TEST(Evaluation, SeveralValuesHaveAnErrorEach) {
  std::vector<Example> set = {example(2, 0), example(2, 0)};
  set[0].targets = {0.5f, 1.0f};
  set[1].targets = {0.0f, 0.0f};
  const std::vector<ExamplePrediction> predictions = {prediction({.5f, .5f}, {1, 0}),
                                                      prediction({.5f, .0f}, {1, 0})};
  const Evaluation e = summarise(set, predictions, {true, {"look", "smell"}, 0.0, 1.0});
  ASSERT_EQ(e.by_value.size(), 2u);
  EXPECT_EQ(e.by_value[1].first, "smell");
  EXPECT_NEAR(e.by_value[0].second, 0.125, 1e-9);
  EXPECT_NEAR(e.by_value[1].second, 0.125, 1e-9);
  EXPECT_NEAR(e.metric, 0.125, 1e-9);
}

TEST(Evaluation, PoolingAddsWordsUpRatherThanRatios) {
  TaskInfo task;
  task.labels = {"a", "b"};
  const Evaluation one =
      summarise({example(4, 1, {1, 1, 0, 0})}, {prediction({.2f, .8f}, {1, 1, 0, 0})}, task);
  const Evaluation two =
      summarise({example(6, 1, {0, 0, 0, 0, 0, 1}), example(2, 1)},
                {prediction({.9f, .1f}, {1, 1, 1, 1, 1, 1}), prediction({.9f, .1f}, {0, 0})}, task);
  const Evaluation all = pooled({one, two});
  EXPECT_EQ(all.examples, 3);
  EXPECT_EQ(all.rationale.examples, 2);
  EXPECT_NEAR(all.metric, 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(all.rationale.precision(), 3.0 / 8.0, 1e-12);
  EXPECT_NEAR(all.rationale.recall(), 1.0, 1e-12);
  EXPECT_NEAR(all.selected_micro, 8.0 / 12.0, 1e-12);
  EXPECT_NEAR(all.rationale.selected_share(), 8.0 / 10.0, 1e-12);
}

TEST(Evaluation, CountsByHand) {
  TaskInfo task;
  task.labels = {"a", "b"};
  const std::vector<Example> set = {example(4, 1, {1, 1, 0, 0}), example(2, 0),
                                    example(4, 1, {0, 0, 0, 1})};
  const std::vector<ExamplePrediction> predictions = {prediction({.2f, .8f}, {1, .5f, 1, 0}),
                                                      prediction({.4f, .6f}, {1, 0}),
                                                      prediction({.1f, .9f}, {0, 0, 0, 1})};
  const Evaluation e = summarise(set, predictions, task);
  EXPECT_NEAR(e.metric, 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(e.selected_micro, 5.0 / 10.0, 1e-12);
  EXPECT_NEAR(e.selected_macro, (0.75 + 0.5 + 0.25) / 3.0, 1e-12);
  EXPECT_EQ(e.rationale.examples, 2);
  EXPECT_NEAR(e.rationale.precision(), 3.0 / 4.0, 1e-12);  // over texts that have gold
  EXPECT_NEAR(e.rationale.recall(), 3.0 / 3.0, 1e-12);
  EXPECT_NEAR(e.rationale.f1(), 2 * .75 / 1.75, 1e-12);
  EXPECT_NEAR(e.rationale.gold_share(), 3.0 / 8.0, 1e-12);
}

TEST(Evaluation, ComesBackFromJson) {
  Evaluation e;
  e.examples = 7;
  e.units = 90;
  e.regression = true;
  e.task_loss = 0.25;
  e.metric = 0.0125;
  e.by_value = {{"look", 0.01}, {"smell", 0.02}, {"palate", 0.0075}};
  e.selected_micro = 0.5;
  e.gated = true;
  e.expected = 0.4;
  e.rationale = {3, 4, 5, 6, 70};
  const Evaluation back = evaluation_from_json(to_json(e));
  EXPECT_EQ(to_json(back), to_json(e));  // in the same order, too
  EXPECT_TRUE(back.regression);
  EXPECT_EQ(back.rationale.hits, 4);
  e.regression = false;
  e.pairs = true;
  EXPECT_EQ(to_json(evaluation_from_json(to_json(e))), to_json(e));
  EXPECT_FALSE(evaluation_from_json(to_json(e)).regression);
}

TEST(EvaluationFields, NumbersThatDoNotFitAreErrors) {
  Evaluation e;
  e.examples = 3;
  nlohmann::ordered_json json = to_json(e);
  json["examples"] = 1e300;
  EXPECT_THROW(evaluation_from_json(json), nlohmann::json::exception);
  json["examples"] = int64_t{9223372036854775807};
  EXPECT_GT(evaluation_from_json(json).examples, 0);
  json = to_json(e);
  json["interval"] = {0.5};
  EXPECT_THROW(evaluation_from_json(json), nlohmann::json::exception);
}

TEST(Evaluation, NothingSelectedIsZeroNotNan) {
  TaskInfo task;
  task.labels = {"a", "b"};
  const Evaluation e =
      summarise({example(2, 0, {1, 0})}, {prediction({.9f, .1f}, {0, 0})}, task, 50);
  EXPECT_EQ(e.rationale.precision(), 0.0);
  EXPECT_EQ(e.rationale.f1(), 0.0);
  EXPECT_EQ(e.selected_micro, 0.0);
}

TEST(Evaluation, MseIsInTheLabelsOwnUnits) {
  TaskInfo task;
  task.regression = true;
  task.low = 1.0;
  task.high = 5.0;
  const Evaluation e = summarise({example(1, 0.5)}, {prediction({0.75f}, {1})}, task);
  EXPECT_NEAR(e.metric, 1.0, 1e-6);
  EXPECT_NEAR(prediction({0.75f}, {1}).value(task), 4.0, 1e-6);
  EXPECT_THROW(summarise({}, {}, task), InternalError);
}

TEST(Evaluation, BootstrapCoversTheNormalInterval) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i % 10 < 8 ? 1.0 : 0.0);
  const auto [low, high] = bootstrap_interval(values, 2000, 1);
  const double half = 1.96 * std::sqrt(0.8 * 0.2 / 1000);
  EXPECT_NEAR(low, 0.8 - half, 0.006);
  EXPECT_NEAR(high, 0.8 + half, 0.006);
}

TEST(Evaluation, PredictAllKeepsTheOrderAndIgnoresTheSplit) {
  RationaleModelOptions options;
  options.hidden = 4;
  RationaleModel model(options, at::randn({5, 3}), RandomKey(1));
  std::vector<Example> set;  // several batches
  for (int64_t i = 0; i < 200; ++i) set.push_back(example(1 + i % 7, i % 2));
  const auto one = predict_all(*model, set, *tensor_workers(1));
  const auto three = predict_all(*model, set, *tensor_workers(3));
  for (size_t i = 0; i < set.size(); ++i) {
    EXPECT_EQ(one[i].z.size(), set[i].words.size());
    EXPECT_EQ(one[i].scores, three[i].scores);
    EXPECT_EQ(one[i].z, three[i].z);
    const auto alone = predict_all(*model, {set[i]}, *tensor_workers(1));
    EXPECT_NEAR(alone[0].scores[0], one[i].scores[0], 1e-5);
  }
}

// Projections that do not all fit are computed again, never mixed up.
TEST(Predictor, AnswersDoNotDependOnWhatItRemembers) {
  RationaleModelOptions options;
  options.hidden = 4;
  for (const CellKind cell : {CellKind::Lstm, CellKind::Rcnn}) {
    options.encoder = test::encoder_of(cell);
    options.chain_cell = cell;
    RationaleModel model(options, at::randn({500, 3}), RandomKey(1));
    std::vector<Example> set(200);
    for (size_t i = 0; i < set.size(); ++i) {
      for (size_t t = 0; t <= i % 9; ++t) {
        set[i].words.push_back(static_cast<int32_t>(RandomKey(i).with(t).below(500)));
      }
    }
    const auto workers = tensor_workers(2);
    const auto expected = predict_all(*model, set, *workers);
    Predictor small(*model, /*bytes=*/10000);
    for (int round = 0; round < 2; ++round) {
      const auto got = small.predict(set, *workers);
      for (size_t i = 0; i < set.size(); ++i) {
        EXPECT_NEAR(got[i].scores[0], expected[i].scores[0], 1e-5);
        ASSERT_EQ(got[i].z.size(), expected[i].z.size());
        for (size_t t = 0; t < got[i].z.size(); ++t) {
          EXPECT_NEAR(got[i].p_zero[t], expected[i].p_zero[t], 1e-5);
        }
      }
    }
  }
}

}  // namespace
}  // namespace hardkuma
