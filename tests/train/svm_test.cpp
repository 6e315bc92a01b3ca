#include "hardkuma/train/svm.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/eval/evaluation.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;

TaskInfo regression() {
  return {true, {}, 0.0, 1.0};
}

Workers alone(1);

// Word 1 then word 2 is good, word 2 then word 1 is bad: only pairs tell them apart.
std::vector<Example> order_matters(int count) {
  std::vector<Example> set(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    Example& example = set[static_cast<size_t>(i)];
    const int32_t noise = 3 + i % 5;
    example.words = i % 2 == 0 ? std::vector<int32_t>{noise, 1, 2, noise}
                               : std::vector<int32_t>{noise, 2, 1, noise};
    example.target = i % 2;
  }
  return set;
}

TEST(NgramSvm, WeightsThatAreNotFiniteAreRefused) {
  std::vector<Example> set(2);
  set[0].words = {1, 2};
  set[1].words = {2, 1};
  set[1].target = 1;
  NgramSvm svm = NgramSvm::with_features_of(set, 2, 1, regression());
  auto weights = svm.weights();
  EXPECT_NO_THROW(NgramSvm::from_tensors(weights, regression(), "f"));
  weights["svm.weights"][0][0] = std::nan("");
  EXPECT_NE(message_of<InputError>([&] {
              NgramSvm::from_tensors(weights, regression(), "f");
            }).find("f: holds weights that are not finite"),
            std::string::npos);
}

TEST(NgramSvm, CountsEachRunOnceAndScalesToLengthOne) {
  std::vector<Example> set(2);
  set[0].words = {1, 2, 1, 2, 0, 3};
  set[1].words = {2, 1, 3};
  const NgramSvm svm = NgramSvm::with_features_of(set, 2, 1, regression());
  // 1, 2, 3, "1 2", "2 1", "1 3"; the unknown word 0 breaks runs.
  EXPECT_EQ(svm.feature_count(), 6);
  const auto features = svm.features(set[0]);
  EXPECT_EQ(features.size(), 5u);
  double square = 0.0;
  for (const auto& [number, value] : features) square += value * value;
  EXPECT_NEAR(square, 1.0, 1e-12);
  EXPECT_EQ(NgramSvm::with_features_of(set, 2, 2, regression()).feature_count(),
            4);  // 1, 2, 3, "2 1"
  Example unknown;
  unknown.words = {0, 0};
  EXPECT_TRUE(svm.features(unknown).empty());
}

TEST(TrainSvm, SeparatesByPairsOfWords) {
  const auto set = order_matters(60);
  Config config;
  config.task.labels = {"good", "bad"};
  struct CostLog : TrainObserver {
    void on_cost(double cost, double) override { all.push_back(cost); }
    std::vector<double> all;
  } costs;
  NgramSvm svm = *train_svm(config, set, set, nullptr, &costs);
  EXPECT_EQ(costs.all.size(), 6u);
  EXPECT_EQ(summarise(set, svm.predict(set, alone), config.task).metric, 1.0);
  config.model.ngrams = 1;
  NgramSvm words = *train_svm(config, set, set);
  EXPECT_NEAR(summarise(set, words.predict(set, alone), config.task).metric, 0.5, 0.1);
}

TEST(TrainSvm, HandlesManyClassesAndSeveralValues) {
  std::vector<Example> set(30);
  for (size_t i = 0; i < set.size(); ++i) {
    set[i].words = {static_cast<int32_t>(1 + i % 3), 9};
    set[i].target = static_cast<double>(i % 3);
  }
  Config config;
  config.task.labels = {"a", "b", "c"};
  config.train.svm_cost = 10.0;
  NgramSvm classes = *train_svm(config, set, set);
  const auto predictions = classes.predict(set, alone);
  EXPECT_EQ(summarise(set, predictions, config.task).metric, 1.0);
  EXPECT_NEAR(predictions[0].scores[0] + predictions[0].scores[1] + predictions[0].scores[2], 1.0,
              1e-6);
  for (size_t i = 0; i < set.size(); ++i) {
    set[i].targets = {static_cast<float>(i % 3) / 2.0f, 1.0f - static_cast<float>(i % 3) / 2.0f};
  }
  config.task = {true, {"x", "y"}, 0.0, 1.0};
  NgramSvm values = *train_svm(config, set, set);
  const Evaluation e = summarise(set, values.predict(set, alone), config.task);
  EXPECT_LT(e.metric, 0.02);
  EXPECT_EQ(e.by_value.size(), 2u);
}

TEST(NgramSvm, ComesBackFromItsTensors) {
  const auto set = order_matters(40);
  Config config;
  config.task.labels = {"good", "bad"};
  const NgramSvm svm = *train_svm(config, set, set);
  const NgramSvm again = NgramSvm::from_tensors(svm.weights(), config.task, "m");
  for (const Example& example : set) {
    const auto a = svm.outputs(example);
    const auto b = again.outputs(example);
    for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5);
  }
  EXPECT_NE(message_of<InputError>([&] {
              NgramSvm::from_tensors({{"embedding", at::zeros({2, 2})}}, config.task, "other");
            }).find("other: not a linear model"),
            std::string::npos);
}

TEST(TrainSvm, StopsWhenAsked) {
  const auto set = order_matters(40);
  Config config;
  config.task.labels = {"good", "bad"};
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(train_svm(config, set, set, &stop).has_value());
}

TEST(TrainSvm, NothingToCountIsSaid) {
  std::vector<Example> set(2);
  set[0].words = {1};
  set[1].words = {2};
  Config config;
  config.task.labels = {"a", "b"};
  EXPECT_NE(message_of<InputError>([&] { train_svm(config, set, set); }).find("data.min_count"),
            std::string::npos);
}

}  // namespace
}  // namespace hardkuma
