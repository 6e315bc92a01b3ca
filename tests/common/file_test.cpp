#include "hardkuma/common/file.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

std::vector<std::string> lines_of(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> out;
  for (std::string line; reader.next(line);) out.push_back(line);
  return out;
}

TEST(LineReader, HandlesBomCrlfAndAMissingLastNewline) {
  const TempDirectory dir;
  const std::string path = dir.write("a.txt",
                                     "\xef\xbb\xbf"
                                     "one\r\ntwo\n\nthree");
  EXPECT_EQ(lines_of(path), (std::vector<std::string>{"one", "two", "", "three"}));
  EXPECT_TRUE(lines_of(dir.write("empty.txt", "")).empty());
}

TEST(LineReader, ReadsLinesLongerThanItsBuffer) {
  const TempDirectory dir;
  const std::string longest(3'000'000, 'x');
  const auto lines = lines_of(dir.write("a.txt", "a\n" + longest + "\nb\n"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1].size(), longest.size());
  EXPECT_EQ(lines[2], "b");
}

TEST(LineReader, ReadsGzipAndReportsTruncation) {
  const TempDirectory dir;
  const std::string path = (dir.path() / "a.gz").string();
  std::string content;
  for (int i = 0; i < 20000; ++i) content += "line " + std::to_string(i * 7919) + "\n";
  gzFile gz = gzopen(path.c_str(), "wb");
  gzwrite(gz, content.data(), static_cast<unsigned>(content.size()));
  gzclose(gz);
  EXPECT_EQ(lines_of(path).size(), 20000u);
  const std::string bytes = read_file(path);
  const std::string cut = dir.write("cut.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(message_of<InputError>([&] { lines_of(cut); }).find("cut.gz: cannot read"),
            std::string::npos);
}

TEST(LineReader, NamesTheLineOfBadBytes) {
  const TempDirectory dir;
  const std::string nul = dir.write("nul.txt", std::string("ok\nb\0d\n", 7));
  EXPECT_NE(message_of<InputError>([&] { lines_of(nul); }).find("nul.txt:2: NUL byte"),
            std::string::npos);
  const std::string broken = dir.write("broken.txt", "ok\nok\nna\xefve\n");
  EXPECT_NE(message_of<InputError>([&] {
              lines_of(broken);
            }).find("broken.txt:3: broken UTF-8 at byte 3"),
            std::string::npos);
}

TEST(File, MissingFilesAndDirectoriesAreNamed) {
  const TempDirectory dir;
  EXPECT_NE(message_of<InputError>([&] {
              lines_of("/no/such/file");
            }).find("/no/such/file: cannot open: No such file"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { lines_of(dir.path().string()); }).find("is a directory"),
            std::string::npos);
}

TEST(File, WritesWholeOrNotAtAll) {
  const TempDirectory dir;
  const auto path = dir.path() / "out.txt";
  write_file(path, "first");
  EXPECT_THROW(write_file(path,
                          [](const auto& sink) {
                            sink("half");
                            throw std::runtime_error("stop");
                          }),
               std::runtime_error);
  EXPECT_EQ(read_file(path), "first");
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".tmp"));
  EXPECT_THROW(write_file("/no/such/dir/x", "y"), InputError);
}

TEST(File, AFullDiskIsAnInputError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  const TempDirectory dir;
  std::filesystem::create_symlink("/dev/full", dir.path() / "x.tmp");
  EXPECT_NE(message_of<InputError>([&] {
              write_file(dir.path() / "x", std::string(100000, 'y'));
            }).find("No space left"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "x"));
}

TEST(File, FingerprintsChangeWithContent) {
  const TempDirectory dir;
  EXPECT_NE(file_fingerprint(dir.write("a", "x")), file_fingerprint(dir.write("b", "y")));
  EXPECT_EQ(file_fingerprint(dir.write("c", "x")), file_fingerprint(dir.path() / "a"));
}

}  // namespace
}  // namespace hardkuma
