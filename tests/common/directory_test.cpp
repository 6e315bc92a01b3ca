#include "hardkuma/common/directory.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::TempDirectory;

void commit(const fs::path& directory, const std::map<std::string, std::string>& files) {
  DirectoryCommit commit(directory);
  for (const auto& [name, content] : files) commit.add(name, content);
  commit.finish({{"status", "running"}});
}

TEST(DirectoryCommit, ReplacesSomeFilesAndKeepsTheOthers) {
  const TempDirectory dir;
  commit(dir.path(), {{"a", "1"}, {"sub/b", "2"}});
  commit(dir.path(), {{"a", "3"}});
  const CommittedDirectory committed(dir.path());
  EXPECT_EQ(committed.read("a"), "3");
  EXPECT_EQ(committed.read("sub/b"), "2");
  EXPECT_TRUE(committed.has("a"));
  EXPECT_FALSE(committed.has("c"));
  EXPECT_NO_THROW(committed.verify());
  EXPECT_EQ(committed.manifest().at("status"), "running");
  EXPECT_EQ(read_file(dir.path() / "a"), "3");  // under its own name
}

TEST(DirectoryCommit, NothingChangesUntilItIsFinished) {
  const TempDirectory dir;
  commit(dir.path(), {{"a", "1"}});
  {
    DirectoryCommit unfinished(dir.path());
    unfinished.add("a", "2");
    EXPECT_EQ(CommittedDirectory(dir.path()).read("a"), "1");
  }
  EXPECT_EQ(CommittedDirectory(dir.path()).read("a"), "1");
  EXPECT_FALSE(fs::exists(dir.path() / "a.next"));
}

// A kill after the commit and before its renames.
TEST(DirectoryCommit, RenamesThatAreMissingAreMadeUpFor) {
  const TempDirectory dir;
  commit(dir.path(), {{"a", "1"}, {"b", "1"}});
  commit(dir.path(), {{"a", "2"}, {"b", "2"}});
  fs::rename(dir.path() / "b", dir.path() / "b.next");
  dir.write("b", "1");
  EXPECT_EQ(CommittedDirectory(dir.path()).read("b"), "2");
  EXPECT_NO_THROW(CommittedDirectory(dir.path()).verify());
  commit(dir.path(), {{"a", "3"}});
  EXPECT_EQ(read_file(dir.path() / "b"), "2");
  EXPECT_FALSE(fs::exists(dir.path() / "b.next"));
}

// And one before it: what was written for the next commit is dropped.
TEST(DirectoryCommit, FilesOfAnUnfinishedCommitAreDropped) {
  const TempDirectory dir;
  commit(dir.path(), {{"a", "1"}});
  dir.write("a.next", "half");
  EXPECT_EQ(CommittedDirectory(dir.path()).read("a"), "1");
  commit(dir.path(), {{"b", "1"}});
  EXPECT_EQ(read_file(dir.path() / "a"), "1");
  EXPECT_FALSE(fs::exists(dir.path() / "a.next"));
}

TEST(CommittedDirectory, SaysWhichFileIsMissingOrDamaged) {
  const TempDirectory dir;
  commit(dir.path(), {{"a", "1"}, {"b", "2"}});
  dir.write("a", "x");
  fs::remove(dir.path() / "b");
  const CommittedDirectory committed(dir.path());
  EXPECT_EQ(message_of<InputError>([&] { committed.read("a"); }).find((dir.path() / "a").string()),
            0u);
  EXPECT_NE(message_of<InputError>([&] { committed.read("b"); }).find("is missing"),
            std::string::npos);
  EXPECT_THROW(committed.verify(), InputError);
  EXPECT_NO_THROW(committed.verify({"a"}));  // b is gone, which is no damage
}

TEST(CommittedDirectory, WithoutAManifestIsReadAsItIs) {
  const TempDirectory dir;
  dir.write("a", "1");
  const CommittedDirectory committed(dir.path());
  EXPECT_FALSE(committed.has_manifest());
  EXPECT_TRUE(committed.has("a"));
  EXPECT_EQ(committed.read("a"), "1");
}

// A checksum shows that the bytes are those that were written, not that they make sense.
TEST(CommittedDirectory, ChecksumsThatAreNotTextAreDamage) {
  const TempDirectory dir;
  {
    DirectoryCommit commit(dir.path());
    commit.add("a", "x");
    commit.finish({{"status", "finished"}});
  }
  const std::string written = read_file(dir.path() / "manifest.json");
  const size_t files = written.find("\"contents\"");
  ASSERT_NE(files, std::string::npos);
  std::string other = written.substr(0, files) + "\"contents\": 5\n}\n";
  const std::string key = "\"checksum\": \"";
  const std::string placeholder = "crc32:00000000:0000000000";
  const size_t own = other.find(key) + key.size();
  other.replace(own, placeholder.size(), placeholder);
  std::string sum = checksum_of(other);  // its size has ten digits in the manifest
  sum.insert(sum.rfind(':') + 1, placeholder.size() - sum.size(), '0');
  other.replace(own, placeholder.size(), sum);
  write_file(dir.path() / "manifest.json", other);
  EXPECT_THROW(CommittedDirectory{dir.path()}, InputError);
  EXPECT_THROW(DirectoryCommit{dir.path()}, InputError);
}

TEST(CommittedDirectory, AReaderTriesAgainWhenACommitCameBetween) {
  const TempDirectory dir;
  commit(dir.path(), {{"a", "1"}, {"b", "1"}});
  int reads = 0;
  const std::string both = read_committed(dir.path(), [&](const CommittedDirectory& committed) {
    const std::string a = committed.read("a");
    if (reads++ == 0) commit(dir.path(), {{"a", "2"}, {"b", "2"}});
    return a + committed.read("b");
  });
  EXPECT_EQ(both, "22");
  EXPECT_EQ(reads, 2);
}

TEST(DirectoryLock, IsHeldByOne) {
  const TempDirectory dir;
  {
    const DirectoryLock lock(dir.path());
    EXPECT_NE(message_of<InputError>([&] {
                DirectoryLock second(dir.path());
              }).find("another training writes here"),
              std::string::npos);
  }
  EXPECT_NO_THROW(DirectoryLock again(dir.path()));
}

}  // namespace
}  // namespace hardkuma
