#include "hardkuma/common/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace hardkuma {
namespace {

TEST(Workers, EveryWorkerRunsOncePerRound) {
  Workers team(4);
  std::vector<std::atomic<int>> runs(4);
  for (int round = 0; round < 100; ++round)
    team.run([&](int64_t w) { ++runs[static_cast<size_t>(w)]; });
  for (const auto& count : runs) EXPECT_EQ(count.load(), 100);
}

TEST(Workers, CutsCoverTheListWithoutOverlap) {
  Workers team(3);
  EXPECT_EQ(team.cut(10, 0), 0);
  EXPECT_EQ(team.cut(10, 3), 10);
  EXPECT_EQ(team.cut(2, 1), 0);
  EXPECT_EQ(team.cut(2, 2), 1);
}

TEST(Workers, HandTheFirstErrorToTheCaller) {
  Workers team(3);
  EXPECT_THROW(team.run([](int64_t w) {
    if (w == 2) throw std::runtime_error("x");
  }),
               std::runtime_error);
  int done = 0;
  team.run([&](int64_t w) {
    if (w == 0) done = 1;
  });  // still usable
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace hardkuma
