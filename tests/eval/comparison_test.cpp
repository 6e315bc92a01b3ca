#include "hardkuma/eval/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hardkuma/common/random.h"

namespace hardkuma {
namespace {

Ratio noisy(double share, uint64_t seed, bool shared) {
  Ratio out;
  for (uint64_t i = 0; i < 400; ++i) {
    // How hard an example is, for all alike, and luck.
    const double hard = RandomKey(1).with(i).uniform();
    const double luck = RandomKey(seed).with(i).uniform();
    out.numerators.push_back((shared ? hard : luck) < share ? 1.0 : 0.0);
    out.denominators.push_back(1.0);
  }
  return out;
}

TEST(PairedDifference, IsTheDifferenceOfTheWholes) {
  const Ratio a{{1, 2, 0}, {4, 4, 2}};
  const Ratio b{{2, 2, 2}, {2, 4, 2}};
  EXPECT_DOUBLE_EQ(a.value(), 0.3);
  const Difference d = paired_difference(a, b, 500, 1);
  EXPECT_NEAR(d.value, 0.75 - 0.3, 1e-12);
  EXPECT_LE(d.low, d.value);
  EXPECT_GE(d.high, d.value);
  const Difference same = paired_difference(a, a, 500, 1);
  EXPECT_EQ(same.low, 0.0);
  EXPECT_EQ(same.high, 0.0);
  EXPECT_FALSE(same.certain());
}

// Its width is that of theory, and what pairs have in common does not count.
TEST(PairedDifference, PairingRemovesWhatIsShared) {
  const Difference apart = paired_difference(noisy(0.6, 2, false), noisy(0.65, 3, false), 2000, 1);
  const double theory = 2 * 1.96 * std::sqrt((0.24 + 0.2275) / 400);
  EXPECT_NEAR(apart.high - apart.low, theory, 0.2 * theory);
  const Difference together = paired_difference(noisy(0.6, 2, true), noisy(0.65, 3, true), 2000, 1);
  EXPECT_LT(together.high - together.low, 0.5 * theory);
  EXPECT_TRUE(together.certain());
}

TEST(PairedDifference, NothingSelectedIsZero) {
  const Difference d = paired_difference({{0, 0}, {0, 0}}, {{1, 0}, {1, 0}}, 100, 1);
  EXPECT_DOUBLE_EQ(d.value, 1.0);
}

TEST(SelectionOverlap, IsTheShareInCommonBesideChance) {
  std::vector<ExamplePrediction> a(2);
  std::vector<ExamplePrediction> b(2);
  a[0].z = {1, 1, 0, 0};
  b[0].z = {1, 0, 1, 0};
  a[1].z = {0, 1};
  b[1].z = {0, 0.5f};
  const Overlap overlap = selection_overlap(a, b);
  EXPECT_DOUBLE_EQ(overlap.shared, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(overlap.chance, (2.0 * 2.0 / 4.0 + 1.0 * 1.0 / 2.0) / 3.0);
  EXPECT_DOUBLE_EQ(selection_overlap(a, a).shared, 1.0);
  a[0].z = {0, 0, 0, 0};
  a[1].z = {0, 0};
  EXPECT_EQ(selection_overlap(a, b).shared, 0.0);
}

}  // namespace
}  // namespace hardkuma
