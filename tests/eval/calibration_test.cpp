#include "hardkuma/eval/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hardkuma/common/random.h"

namespace hardkuma {
namespace {

ExamplePrediction with_zeros(const std::vector<float>& p_zero) {
  ExamplePrediction out;
  out.p_zero = p_zero;
  return out;
}

// What a model with this threshold selects.
double selected(const std::vector<ExamplePrediction>& set, double threshold, Share share) {
  double micro = 0.0;
  double macro = 0.0;
  double units = 0.0;
  for (const ExamplePrediction& prediction : set) {
    double here = 0.0;
    for (const float p : prediction.p_zero) here += p <= static_cast<float>(1.0 - threshold);
    const auto length = static_cast<double>(prediction.p_zero.size());
    micro += here;
    units += length;
    macro += here / length / static_cast<double>(set.size());
  }
  return share == Share::OfUnits ? micro / units : macro;
}

TEST(CalibratedThreshold, IsNearerToTheTargetThanAnyOther) {
  for (uint64_t round = 0; round < 50; ++round) {
    const RandomKey key = RandomKey(3).with(round);
    std::vector<ExamplePrediction> set;
    std::vector<double> candidates = {2.0, 1e-9};
    for (uint64_t i = 0; i < 1 + key.below(20); ++i) {
      std::vector<float> p_zero;
      for (uint64_t t = 0; t < 1 + key.with(i).below(15); ++t) {
        double u = key.with(i).with(t).uniform_double();
        if (round % 2 == 0) u = std::floor(8 * u) / 8;  // with ties
        p_zero.push_back(static_cast<float>(u));
        candidates.push_back(1.0f - p_zero.back());
      }
      set.push_back(with_zeros(p_zero));
    }
    for (const Share share : {Share::OfUnits, Share::OfTexts}) {
      for (const double target : {0.02, 0.15, 0.4, 0.8, 1.0}) {
        const double found = calibrated_threshold(set, target, share);
        EXPECT_GT(found, 0.0);
        const double distance = std::abs(selected(set, found, share) - target);
        for (const double other : candidates) {
          EXPECT_LE(distance, std::abs(selected(set, other, share) - target) + 1e-9);
        }
      }
    }
  }
}

TEST(CalibratedThreshold, LeavesOutWhatIsAlwaysZero) {
  const std::vector<ExamplePrediction> set = {with_zeros({1.0f, 0.3f, 1.0f, 0.6f})};
  const double all = calibrated_threshold(set, 1.0, Share::OfUnits);
  EXPECT_GT(all, 0.0);
  EXPECT_EQ(selected(set, all, Share::OfUnits), 0.5);
  EXPECT_EQ(calibrated_threshold(set, 0.01, Share::OfUnits), 2.0);
  EXPECT_EQ(calibrated_threshold({}, 0.1, Share::OfUnits), 2.0);
}

TEST(CalibratedThreshold, LiesBetweenTwoProbabilities) {
  const double found =
      calibrated_threshold({with_zeros({0.9f, 0.2f, 0.6f, 0.95f})}, 0.25, Share::OfUnits);
  EXPECT_GT(found, 0.4);
  EXPECT_LT(found, 0.8);
}

// Of gates that are all but open, 1 - P(z = 0) is the same number.
TEST(CalibratedThreshold, TellsApartWhatOneMinusItWouldNot) {
  const std::vector<ExamplePrediction> set = {with_zeros({1e-9f, 2e-9f, 3e-9f, 4e-9f})};
  const double found = calibrated_threshold(set, 0.5, Share::OfUnits);
  EXPECT_EQ(selected(set, found, Share::OfUnits), 0.5);
}

TEST(NearestThreshold, MovesNoFurtherThanItMust) {
  std::vector<float> p_zero;
  for (int i = 0; i < 1000; ++i) p_zero.push_back((static_cast<float>(i) + 0.5f) / 1000.0f);
  const std::vector<ExamplePrediction> set = {with_zeros(p_zero)};
  // At a threshold t the share 1 - t is selected.
  EXPECT_EQ(nearest_threshold(0.602, set, 0.4, Share::OfUnits), 0.602);
  EXPECT_EQ(nearest_threshold(0.599, set, 0.4, Share::OfUnits), 0.599);
  EXPECT_NEAR(nearest_threshold(0.7, set, 0.4, Share::OfUnits), 0.603, 1e-4);
  EXPECT_NEAR(nearest_threshold(0.2, set, 0.4, Share::OfUnits), 0.597, 1e-4);
  EXPECT_NEAR(nearest_threshold(0.2, set, 0.1, Share::OfUnits), 0.898, 1e-4);
  EXPECT_NEAR(nearest_threshold(0.2, set, 0.9, Share::OfUnits), 0.102, 1e-4);
  EXPECT_EQ(nearest_threshold(0.2, {}, 0.4, Share::OfUnits), 2.0);
}

// Predictions drawn from their own probabilities, then made too sure by a known power.
TEST(BestTemperature, UndoesAKnownOverconfidence) {
  for (const double temperature : {0.5, 1.0, 2.5}) {
    std::vector<Example> set(4000);
    std::vector<ExamplePrediction> predictions(4000);
    for (size_t i = 0; i < set.size(); ++i) {
      const RandomKey key = RandomKey(7).with(i);
      const double p = key.with(0).uniform_double();
      set[i].target = key.with(1).uniform_double() < p ? 1.0 : 0.0;
      const double yes = std::pow(p, temperature);
      const double no = std::pow(1.0 - p, temperature);
      predictions[i].scores = {static_cast<float>(no / (yes + no)),
                               static_cast<float>(yes / (yes + no))};
    }
    EXPECT_NEAR(best_temperature(set, predictions), temperature, 0.08 * temperature);
  }
}

TEST(BestTemperature, StaysFiniteWhereEverythingIsRightOrWrongOrCertain) {
  std::vector<Example> set(3);
  std::vector<ExamplePrediction> predictions(3);
  for (const bool right : {true, false}) {
    for (size_t i = 0; i < 3; ++i) {
      set[i].target = 1.0;
      predictions[i].scores =
          right ? std::vector<float>{0.0f, 1.0f} : std::vector<float>{1.0f, 0.0f};
    }
    const double t = best_temperature(set, predictions);
    EXPECT_GE(t, 0.1);
    EXPECT_LE(t, 10.0);
  }
  EXPECT_NEAR(best_temperature({}, {}), 1.0, 1e-3);
}

// With a floor the likeliest units are selected at any threshold, and count.
TEST(CalibratedThreshold, CountsWhatAFloorSelects) {
  std::vector<ExamplePrediction> set = {with_zeros({0.9f, 0.8f, 0.95f, 0.99f}),
                                        with_zeros({0.1f, 0.2f, 0.3f, 0.4f})};
  for (ExamplePrediction& one : set) one.least = 1;
  const double threshold = calibrated_threshold(set, 0.5, Share::OfUnits);
  double selected = 0.0;
  for (const ExamplePrediction& one : set) {
    int64_t here = 0;
    for (const float p : one.p_zero) here += p <= static_cast<float>(1.0 - threshold) ? 1 : 0;
    selected += static_cast<double>(std::max(one.least, here));
  }
  EXPECT_EQ(selected / 8.0, 0.5);
  EXPECT_EQ(calibrated_threshold(set, 0.25, Share::OfUnits), 2.0);  // the floor alone is nearest
}

}  // namespace
}  // namespace hardkuma
