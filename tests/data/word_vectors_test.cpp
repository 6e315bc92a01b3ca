#include "hardkuma/data/word_vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;
using Wanted = std::unordered_set<std::string>;

TEST(WordVectors, ReadsGloveAndFastTextKeepingOnlyWantedWords) {
  const TempDirectory dir;
  for (const char* header : {"", "3 2\n"}) {
    const auto v = read_word_vectors(
        dir.write("v.txt", std::string(header) + "a 1 2\nb 3 4\nc 5 6\n"), Wanted{"c"}, 1);
    EXPECT_EQ(v.width, 2);
    EXPECT_EQ(v.words, (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(v.values, (std::vector<float>{1, 2, 5, 6}));
  }
}

TEST(WordVectors, WordsMayHoldSpaces) {
  const TempDirectory dir;
  const auto v = read_word_vectors(dir.write("v.txt", "a 1 2 3\n. . . 4 5 6\n"), Wanted{}, 9);
  EXPECT_EQ(v.words[1], ". . .");
}

TEST(WordVectors, MixedWidthsAndNonsenseAreNamed) {
  const TempDirectory dir;
  const auto error = [&](const char* text) {
    const std::string path = dir.write("v.txt", text);
    return message_of<InputError>([&] { read_word_vectors(path, {}, 9); });
  };
  EXPECT_NE(error("a 1 2 3\nb 1 2\n").find("v.txt:2: 2 numbers where the first line has 3"),
            std::string::npos);
  EXPECT_NE(error("a 1 2\nb 1 2 3\n").find("v.txt:2: 3 numbers where the first line has 2"),
            std::string::npos);
  EXPECT_NE(error("a 1 2\nb 1 x\n").find("\"x\" is not a number"), std::string::npos);
  EXPECT_NE(error("").find("v.txt: the file is empty"), std::string::npos);
}

TEST(WordVectors, ReadsWord2vecBinaryAndReportsTruncation) {
  const TempDirectory dir;
  std::string bytes = "2 3\n";
  for (const auto& [word, first] :
       std::vector<std::pair<std::string, float>>{{"x", 1.0f}, {"y", 4.0f}}) {
    const float values[3] = {first, first + 1, first + 2};
    bytes += word + " " + std::string(reinterpret_cast<const char*>(values), sizeof(values)) + "\n";
  }
  const auto v = read_word_vectors(dir.write("v.bin", bytes), Wanted{"y"}, 0);
  EXPECT_EQ(v.words, (std::vector<std::string>{"y"}));
  EXPECT_EQ(v.values, (std::vector<float>{4, 5, 6}));
  const std::string cut = dir.write("cut.bin", bytes.substr(0, bytes.size() - 6));
  EXPECT_NE(message_of<InputError>([&] {
              read_word_vectors(cut, Wanted{"y"}, 0);
            }).find("ends in the middle"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] {
              read_word_vectors(dir.write("no.bin", "hello there you\n"), {}, 0);
            }).find("not a word2vec"),
            std::string::npos);
}

TEST(WordVectors, AHeaderDoesNotDecideHowMuchMemoryIsTaken) {
  const TempDirectory dir;
  const auto error = [&](const std::string& bytes) {
    const std::string path = dir.write("v.bin", bytes);
    return message_of<InputError>([&] { read_word_vectors(path, {}, 9); });
  };
  for (const char* header :
       {"1 400000000\n", "1 1e300\n", "1 2.5\n", "1 0\n", "1e300 2\n", "-1 2\n"}) {
    EXPECT_NE(error(std::string(header) + "the abcd").find("not a word2vec binary file"),
              std::string::npos)
        << header;
  }
  EXPECT_NE(error("1000000000000 2\nthe abcd").find("ends in the middle"), std::string::npos);
}

TEST(WordVectors, NumbersThatAreNotFiniteAreRefused) {
  const TempDirectory dir;
  const float values[2] = {1.0f, std::nanf("")};
  const std::string path = dir.write(
      "v.bin", "1 2\nthe " + std::string(reinterpret_cast<const char*>(values), sizeof(values)));
  EXPECT_NE(message_of<InputError>([&] {
              read_word_vectors(path, {}, 9);
            }).find("v.bin: the vector of \"the\" holds numbers that are not finite"),
            std::string::npos);
}

TEST(WordVectors, AreKnownByTheBytesThatWereRead) {
  const TempDirectory dir;
  const std::string path = dir.write("v.txt", "a 1 2\nb 3 4\n");
  const auto v = read_word_vectors(path, Wanted{}, 9);
  EXPECT_EQ(v.fingerprint, file_fingerprint(path));
}

}  // namespace
}  // namespace hardkuma
