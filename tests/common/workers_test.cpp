#include "hardkuma/common/workers.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/threads.h"
#include "support/child.h"
#include "support/temp.h"

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

// Where the system gives no threads, as under `ulimit -u`. Root has no such limit.
template <typename F>
bool without_threads(F&& f) {
  return test::in_child([&] {
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_NPROC, &none) != 0) return false;
    constexpr uid_t kNobody = 65534;
    if (getuid() == 0 && setuid(kNobody) != 0) return false;
    try {
      f();
    } catch (const InputError& error) {
      return std::string(error.what()).starts_with("cannot start a thread: ");
    }
    return false;
  });
}

TEST(Workers, AreNotMoreThanHelp) {
  for (const int64_t count : {kMostWorkers + 1, int64_t{1} << 40}) {
    EXPECT_NE(test::message_of<InputError>([&] { tensor_workers(count); }).find("at most 256"),
              std::string::npos);
  }
}

TEST(Workers, ThreadsThatCannotStartAreAnInputError) {
  EXPECT_TRUE(without_threads([] { Workers team(3); }));
  EXPECT_TRUE(without_threads([] { start_thread([] {}).join(); }));
  EXPECT_TRUE(without_threads([] { in_background([] {}).get(); }));
}

// The first threads start, then there are no more: they must be told to go.
TEST(Workers, ATeamThatCannotBeCompletedIsDismissed) {
#ifdef HARDKUMA_SANITIZED
  GTEST_SKIP() << "a sanitizer reserves more memory than this limit";
#endif
  EXPECT_TRUE(test::in_child([] {
    const rlimit little{size_t{1} << 30, size_t{1} << 30};  // room for about a hundred stacks
    setrlimit(RLIMIT_AS, &little);
    try {
      Workers team(100000);
    } catch (const InputError&) {
      return true;
    }
    return false;
  }));
}

}  // namespace
}  // namespace hardkuma
