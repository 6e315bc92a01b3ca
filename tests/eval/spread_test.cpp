#include "hardkuma/eval/spread.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hardkuma {
namespace {

TEST(StudentT, IsThatOfTheTables) {
  EXPECT_NEAR(student_t(1), 12.7062, 1e-4);
  EXPECT_NEAR(student_t(4), 2.7764, 1e-4);
  EXPECT_NEAR(student_t(8), 2.3060, 1e-4);
  EXPECT_NEAR(student_t(9), 2.2622, 1e-4);
  EXPECT_NEAR(student_t(13), 2.1604, 1e-4);
  EXPECT_NEAR(student_t(30), 2.0423, 1e-4);
  EXPECT_NEAR(student_t(1000000), 1.9600, 1e-4);
}

TEST(Spread, OfSomeRuns) {
  const Spread three = spread_of({1.0, 2.0, 3.0});
  EXPECT_EQ(three.count, 3);
  EXPECT_DOUBLE_EQ(three.mean, 2.0);
  EXPECT_DOUBLE_EQ(three.deviation, 1.0);
  EXPECT_NEAR(three.high - three.mean, 4.3027 / std::sqrt(3.0), 1e-3);
  EXPECT_NEAR(three.mean - three.low, three.high - three.mean, 1e-12);
}

TEST(Spread, OfOneRunAndOfNone) {
  const Spread one = spread_of({0.4});
  EXPECT_EQ(one.low, 0.4);
  EXPECT_EQ(one.high, 0.4);
  EXPECT_EQ(one.deviation, 0.0);
  EXPECT_EQ(spread_of({}).count, 0);
}

}  // namespace
}  // namespace hardkuma
