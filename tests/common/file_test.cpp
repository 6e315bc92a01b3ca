#include "hardkuma/common/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "hardkuma/common/error.h"
#include "support/child.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

namespace fs = std::filesystem;

std::string gzipped(const std::string& content) {
  const TempDirectory dir;
  const std::string path = (dir.path() / "a.gz").string();
  gzFile gz = gzopen(path.c_str(), "wb");
  gzwrite(gz, content.data(), static_cast<unsigned>(content.size()));
  gzclose(gz);
  return read_file(path);
}

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
  std::string content;
  for (int i = 0; i < 20000; ++i) content += "line " + std::to_string(i * 7919) + "\n";
  const std::string bytes = gzipped(content);
  EXPECT_EQ(lines_of(dir.write("a.gz", bytes)).size(), 20000u);
  const std::string cut = dir.write("cut.gz", bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(message_of<InputError>([&] { lines_of(cut); }).find("cut.gz: cannot read"),
            std::string::npos);
}

TEST(LineReader, ReadsGzipOfSeveralMembersAndIgnoresWhatFollowsTheLast) {
  const TempDirectory dir;
  const std::string two = gzipped("a\nb") + gzipped("c\nd\n");
  EXPECT_EQ(lines_of(dir.write("two.gz", two)), (std::vector<std::string>{"a", "bc", "d"}));
  EXPECT_EQ(lines_of(dir.write("padded.gz", two + std::string(5, '\0'))).size(), 3u);
  EXPECT_TRUE(lines_of(dir.write("nothing.gz", gzipped(""))).empty());
  EXPECT_EQ(lines_of(dir.write("plain.gz", "\x1f")), (std::vector<std::string>{"\x1f"}));
}

// Whatever comes, it comes once: nothing may be opened again after a look at its beginning.
TEST(LineReader, APipeIsReadFromItsFirstByteToItsLast) {
  const TempDirectory dir;
  std::string content = "\xef\xbb\xbf\n  \nfirst\n";
  for (int i = 0; i < 50000; ++i) content += "line " + std::to_string(i) + "\n";
  for (const std::string& bytes : {content, gzipped(content)}) {
    const fs::path pipe = dir.path() / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    // A byte at a time at first, so that gzip's two marks come apart.
    std::thread writer([&] {
      std::ofstream out(pipe, std::ios::binary);
      for (size_t i = 0; i < 4; ++i) out << bytes[i] << std::flush;
      out << bytes.substr(4);
    });
    LineReader reader(pipe.string());
    EXPECT_EQ(reader.first_line(), "first");
    EXPECT_EQ(reader.first_line(), "first");
    std::vector<std::string> lines;
    for (std::string line; reader.next(line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 50003u);
    EXPECT_EQ(lines[0], "");
    EXPECT_EQ(lines[2], "first");
    writer.join();
    EXPECT_EQ(reader.fingerprint(), file_fingerprint(dir.write("copy", bytes)));
    fs::remove(pipe);
  }
}

TEST(LineReader, TheFirstLineOfLittle) {
  const TempDirectory dir;
  const auto first = [&](const std::string& content) {
    return LineReader(dir.write("a", content)).first_line();
  };
  EXPECT_EQ(first(""), "");
  EXPECT_EQ(first("\n\r\n \t"), "");
  EXPECT_EQ(first("\xef\xbb\xbfx"), "x");
  EXPECT_EQ(first("\n" + std::string(200000, 'x') + "\ny").size(), 200000u);
}

TEST(LineReader, AnEndlessLineIsRefusedBeforeItFillsTheMemory) {
  const TempDirectory dir;
  const std::string path = dir.write("a", "ok\n" + std::string(kLongestLine + (1 << 20), 'x'));
  EXPECT_NE(message_of<InputError>([&] { lines_of(path); }).find("a:2: a line of more than 8 MB"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([] { lines_of("/dev/zero"); }).find("/dev/zero:1: "),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([] { LineReader("/dev/zero").first_line(); }).find("8 MB"),
            std::string::npos);
}

// Whether it comes in one piece or in many: the limit is the line's.
TEST(LineReader, TheLimitIsTheSameForFilesAndPipes) {
  const TempDirectory dir;
  const auto error = [&](size_t length) {
    const std::string path = dir.write("a", std::string(length, 'x') + "\nb\n");
    return message_of<InputError>([&] { lines_of(path); });
  };
  EXPECT_EQ(error(kLongestLine), "");
  EXPECT_NE(error(kLongestLine + 1).find("a:1: a line of more than 8 MB"), std::string::npos);
  EXPECT_NE(error(kLongestLine + 900000).find("a:1: a line of more than 8 MB"), std::string::npos);
}

TEST(File, ADeviceWithoutAnEndIsRefused) {
  EXPECT_NE(message_of<InputError>([] { read_file("/dev/zero"); }).find("more than 8 MB"),
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
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 1);
  EXPECT_THROW(write_file("/no/such/dir/x", "y"), InputError);
}

TEST(File, AFullDiskIsAnInputError) {
  const TempDirectory dir;
  EXPECT_TRUE(test::in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{70000, 70000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return message_of<InputError>([&] {
             write_file(dir.path() / "x", std::string(100000, 'y'));
           }).find("x: cannot write: File too large") != std::string::npos;
  }));
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST(File, GrowsUnderANameOfItsOwn) {
  const TempDirectory dir;
  const fs::path path = dir.path() / "out";
  const std::string victim = dir.write("victim", "precious");
  fs::create_symlink(victim, path.string() + ".tmp");
  {
    NewFile one(path);
    NewFile two(path);
    one.write("one");
    two.write("two, longer");
    one.finish();
    EXPECT_EQ(read_file(path), "one");
    two.finish();
  }
  EXPECT_EQ(read_file(path), "two, longer");
  EXPECT_EQ(read_file(victim), "precious");
  EXPECT_THROW(NewFile(path, path.string() + ".tmp"), InputError);  // a link, perhaps planted
  EXPECT_EQ(read_file(victim), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 3);
}

TEST(File, KeepsThePermissionsOfWhatItReplaces) {
  const TempDirectory dir;
  const fs::path path = dir.write("out", "secret");
  for (const auto mode : {fs::perms{0600}, fs::perms{0640}, fs::perms{0755}}) {
    fs::permissions(path, mode);
    write_file(path, "new");
    EXPECT_EQ(fs::status(path).permissions(), mode);
  }
}

TEST(File, FingerprintsChangeWithContent) {
  const TempDirectory dir;
  EXPECT_NE(file_fingerprint(dir.write("a", "x")), file_fingerprint(dir.write("b", "y")));
  EXPECT_EQ(file_fingerprint(dir.write("c", "x")), file_fingerprint(dir.path() / "a"));
}

}  // namespace
}  // namespace hardkuma
