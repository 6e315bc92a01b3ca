#include "read_ahead.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::TempDirectory;

std::string lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "text " + std::to_string(i) + "\n";
  return out;
}

ReadAhead ahead_of(const std::string& path, size_t size) {
  return {open_examples(path, {}, false), size};
}

TEST(ReadAhead, GivesEveryRecordOnceAndInOrder) {
  const TempDirectory directory;
  ReadAhead records = ahead_of(directory.write("a.txt", lines(1000)), 7);
  const std::atomic<bool> stop{false};
  int next = 0;
  for (std::vector<RawExample> chunk; records.next(chunk, stop);) {
    EXPECT_LE(chunk.size(), 7u);
    for (const RawExample& record : chunk) EXPECT_EQ(record.text, "text " + std::to_string(next++));
  }
  EXPECT_EQ(next, 1000);
}

TEST(ReadAhead, ThrowsWhatTheReaderThrewAfterTheRecordsBefore) {
  const TempDirectory directory;
  ReadAhead records = ahead_of(directory.write("a.txt", lines(10) + "\xff\n"), 4);
  const std::atomic<bool> stop{false};
  std::vector<RawExample> chunk;
  size_t seen = 0;
  EXPECT_THROW(while (records.next(chunk, stop)) seen += chunk.size(), InputError);
  EXPECT_EQ(seen, 10u);
}

// A pipe whose writer says nothing for now, and then goes on.
TEST(ReadAhead, NeitherItsUserNorItsEndWaitsForAPipe) {
  const TempDirectory directory;
  const std::string path = (directory.path() / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int writer = open(path.c_str(), O_RDWR);
  ASSERT_EQ(write(writer, "a\nb\n", 4), 4);
  {
    ReadAhead records = ahead_of(path, 100);
    std::atomic<bool> stop{false};
    std::vector<RawExample> chunk;
    size_t seen = 0;
    while (seen < 2 && records.next(chunk, stop)) seen += chunk.size();
    EXPECT_EQ(seen, 2u);
    EXPECT_FALSE(records.waiting());
    std::thread stopper([&] { stop = true; });
    EXPECT_FALSE(records.next(chunk, stop));
    stopper.join();
  }
  close(writer);  // ends the thread that still reads
}

}  // namespace
}  // namespace hardkuma
