#include "hardkuma/report/event_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "hardkuma/common/file.h"
#include "hardkuma/train/run_directory.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

TEST(Crc32c, IsThePublished) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
}

TEST(EventFile, EachStartHasItsOwn) {
  const test::TempDirectory dir;
  EventFile first(dir.path() / "events");
  EventFile second(dir.path() / "events");
  EXPECT_NE(first.path(), second.path());
  const size_t before = read_file(first.path()).size();
  first.add(3, {{"loss", 0.5}});
  // Length, its sum, event (9 time, 2 step, 2 + 2 + 6 + 5 value), sum: nothing is held back.
  EXPECT_EQ(read_file(first.path()).size() - before, 8u + 4u + 9u + 2u + 2u + 2u + 6u + 5u + 4u);
}

// A name that somebody took for a link of theirs is left alone.
TEST(EventFile, FollowsNoLink) {
  const test::TempDirectory dir;
  const std::string theirs = dir.write("theirs", "precious");
  for (int later = 0; later < 3; ++later) {
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::error_code there;
    std::filesystem::create_symlink(theirs, dir.path() / event_file_name(now + later, 0), there);
  }
  EventFile file(dir.path());
  EXPECT_EQ(read_file(theirs), "precious");
  EXPECT_TRUE(is_event_file(file.path()));
  EXPECT_FALSE(is_event_file(dir.path()));
}

}  // namespace
}  // namespace hardkuma
