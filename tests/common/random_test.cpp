#include "hardkuma/common/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hardkuma {
namespace {

TEST(RandomKey, EveryPartOfTheKeyMatters) {
  const RandomKey key(1);
  std::set<uint64_t> seen;
  for (uint64_t a = 0; a < 30; ++a) {
    for (uint64_t b = 0; b < 30; ++b) seen.insert(key.with(a).with(b).bits());
  }
  EXPECT_EQ(seen.size(), 900u);
  EXPECT_NE(RandomKey(1).bits(), RandomKey(2).bits());
  EXPECT_NE(key.with(1).with(2).bits(), key.with(2).with(1).bits());
}

TEST(RandomKey, IsTheSameEverywhere) {
  // A fixed value: a change here would change every trained model.
  EXPECT_EQ(RandomKey(42).with(3).with(7).bits(), 0x4064f35cbc533b4eULL);
  static_assert(RandomKey(1).with(2).uniform() > 0.0f && RandomKey(1).with(2).uniform() < 1.0f);
}

TEST(Shuffle, IsAPermutationOfTheKey) {
  auto order = shuffled_indices(1000, RandomKey(5));
  EXPECT_EQ(order, shuffled_indices(1000, RandomKey(5)));
  EXPECT_NE(order, shuffled_indices(1000, RandomKey(6)));
  std::sort(order.begin(), order.end());
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
  EXPECT_TRUE(shuffled_indices(0, RandomKey(1)).empty());
}

}  // namespace
}  // namespace hardkuma
