#include "hardkuma/nn/budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/common/random.h"

namespace hardkuma {
namespace {

using Places = std::vector<int64_t>;

std::vector<float> random_scores(int64_t n, RandomKey key, bool with_ties) {
  std::vector<float> out;
  for (int64_t i = 0; i < n; ++i) {
    const double u = key.with(static_cast<uint64_t>(i)).uniform_double();
    out.push_back(static_cast<float>(with_ties ? std::floor(4.0 * u) : u - 0.3));
  }
  return out;
}

double sum_of(const std::vector<float>& scores, const Places& places) {
  double out = 0.0;
  for (const int64_t place : places) out += scores[static_cast<size_t>(place)];
  return out;
}

int64_t runs_of(uint32_t mask) {
  return std::popcount(mask & ~(mask << 1));
}

TEST(BudgetCount, IsTheShareToRoundingAndAtLeastOne) {
  for (int64_t n = 1; n <= 300; ++n) {
    for (const double share : {0.001, 0.05, 0.15, 0.4, 0.5, 0.999, 1.0}) {
      const int64_t count = budget_count(share, n);
      const double exact = share * static_cast<double>(n);
      if (exact >= 0.5) {
        EXPECT_LE(std::abs(static_cast<double>(count) - exact), 0.5 + 1e-9);
      }
      EXPECT_GE(count, 1);
      EXPECT_LE(count, n);
    }
  }
  EXPECT_EQ(budget_count(0.15, 0), 0);
}

TEST(TopPlaces, AreTheHighestInOrderAndOfEqualsTheEarlier) {
  EXPECT_EQ(top_places({1, 5, 3, 5, 3}, 3), (Places{1, 2, 3}));
  EXPECT_EQ(top_places({2, 2, 2}, 2), (Places{0, 1}));
  EXPECT_EQ(top_places({2, 2, 2}, 3), (Places{0, 1, 2}));
  EXPECT_EQ(top_places({2, 1}, 0), Places{});
}

TEST(BestSpans, EqualsTryingEverything) {
  int64_t cases = 0;
  for (uint64_t round = 0; round < 120; ++round) {
    const RandomKey key = RandomKey(11).with(round);
    const auto n = static_cast<int64_t>(1 + key.below(11));
    const std::vector<float> scores = random_scores(n, key.with(1), round % 3 == 0);
    for (int64_t count = 1; count <= n; ++count) {
      for (int64_t spans = 1; spans <= 4; ++spans, ++cases) {
        double best = -1e30;
        for (uint32_t mask = 0; mask < 1u << n; ++mask) {
          if (std::popcount(mask) != count || runs_of(mask) > spans) continue;
          Places places;
          for (int64_t i = 0; i < n; ++i) {
            if ((mask >> i & 1) != 0) places.push_back(i);
          }
          best = std::max(best, sum_of(scores, places));
        }
        const Places found = best_spans(scores, count, spans);
        ASSERT_EQ(static_cast<int64_t>(found.size()), count);
        uint32_t mask = 0;
        for (const int64_t place : found) mask |= 1u << place;
        ASSERT_TRUE(std::is_sorted(found.begin(), found.end()));
        ASSERT_EQ(std::popcount(mask), count);  // each once
        ASSERT_LE(runs_of(mask), spans);
        ASSERT_NEAR(sum_of(scores, found), best, 1e-5) << "n " << n << " count " << count;
      }
    }
  }
  EXPECT_GT(cases, 2000);
}

TEST(BestSpans, OfALongTextIsOneRunWhereTheSumIsHighest) {
  std::vector<float> scores(3000, 0.1f);
  for (size_t i = 1200; i < 1300; ++i) scores[i] = 0.9f;
  scores[7] = 1.0f;
  const Places one = best_spans(scores, 100, 1);
  EXPECT_EQ(one.front(), 1200);
  EXPECT_EQ(one.back(), 1299);
  const Places two = best_spans(scores, 101, 2);
  EXPECT_EQ(two.front(), 7);
  EXPECT_EQ(two[1], 1200);
}

TEST(BestSpans, RefusesWhatCannotBe) {
  EXPECT_THROW(best_spans({1, 2}, 3, 1), InternalError);
  EXPECT_THROW(best_spans({1, 2}, 1, 0), InternalError);
}

}  // namespace
}  // namespace hardkuma
