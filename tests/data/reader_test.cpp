#include "hardkuma/data/reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

std::vector<RawExample> read(const std::string& path, const Columns& columns = {},
                             bool labels = true) {
  const auto reader = open_examples(path, columns, labels);
  std::vector<RawExample> out;
  for (RawExample example; reader->next(example);) out.push_back(example);
  return out;
}

std::string error_of(const std::string& path, const Columns& columns = {}, bool labels = true) {
  return message_of<InputError>([&] { read(path, columns, labels); });
}

TEST(Reader, GuessesTheUsualColumns) {
  const TempDirectory dir;
  const auto examples =
      read(dir.write("a.csv", "id,stars,review\nx1,4,Good stuff\nx2,1,\"Bad, very\"\n"));
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[1].text, "Bad, very");
  EXPECT_EQ(examples[1].label, "1");
  EXPECT_TRUE(examples[1].label_is_number);
  EXPECT_EQ(examples[0].id, "x1");
  EXPECT_EQ(examples[1].line, 3);
}

TEST(Reader, ListsTheColumnsWhenOneIsWrong) {
  const TempDirectory dir;
  const std::string path = dir.write("a.csv", "body,verdict\nx,y\n");
  EXPECT_NE(error_of(path).find("no label column; name it with --label (there are: body, verdict)"),
            std::string::npos);
  EXPECT_NE(error_of(path, {.text = "body", .label = "verdit"})
                .find("no column \"verdit\"; did you mean \"verdict\"?; there are: body, verdict"),
            std::string::npos);
}

TEST(Reader, RowsOfTheWrongWidthAreNamed) {
  const TempDirectory dir;
  EXPECT_NE(error_of(dir.write("a.csv", "text,label\na,b\na,b,c\n"))
                .find("a.csv:3: 3 fields where the header has 2"),
            std::string::npos);
  EXPECT_NE(error_of(dir.write("e.csv", "")).find("e.csv: the file is empty"), std::string::npos);
}

TEST(Reader, ReadsJsonlWithGoldSpansInBothForms) {
  const TempDirectory dir;
  const auto examples = read(
      dir.write("a.jsonl",
                "{\"text\":\"a bb\",\"label\":\"x\",\"rationale\":[[0,1]]}\n\n"
                "{\"text\":\"c\",\"label\":2,\"rationale\":[{\"start\":0,\"end\":1}],\"id\":7}\n"
                "{\"text\":\"d\",\"label\":true}\n"));
  ASSERT_EQ(examples.size(), 3u);
  EXPECT_TRUE(examples[0].has_gold);
  EXPECT_EQ(examples[0].gold[0].end, 1);
  EXPECT_FALSE(examples[0].label_is_number);
  EXPECT_TRUE(examples[1].label_is_number);
  EXPECT_EQ(examples[1].id, "7");
  EXPECT_FALSE(examples[2].has_gold);
  EXPECT_EQ(examples[2].label, "true");
}

TEST(Reader, PrefersTheGoldSpansOfTheLabel) {
  const TempDirectory dir;
  const auto examples = read(
      dir.write(
          "a.jsonl",
          "{\"text\":\"abc\",\"look\":\"good\",\"look_spans\":[[1,2]],\"smell_spans\":[[0,1]]}\n"),
      {.label = "look"});
  EXPECT_EQ(examples[0].gold[0].start, 1);
}

TEST(Reader, JsonErrorsNameTheLine) {
  const TempDirectory dir;
  EXPECT_NE(error_of(dir.write("a.jsonl", "{\"text\":\"a\",\"label\":1}\n{broken\n"))
                .find("a.jsonl:2: not valid JSON"),
            std::string::npos);
  EXPECT_NE(error_of(dir.write("b.jsonl", "[1]\n")).find("b.jsonl:1: not a JSON object"),
            std::string::npos);
  EXPECT_NE(error_of(dir.write("c.jsonl", "{\"text\":\"a\",\"label\":1}\n{\"text\":\"a\"}\n"))
                .find("c.jsonl:2: no field \"label\""),
            std::string::npos);
  EXPECT_NE(error_of(dir.write("d.jsonl", "{\"text\":\"a\",\"label\":1,\"gold\":[[0,9]]}\n"))
                .find("outside the text of 1 characters"),
            std::string::npos);
  EXPECT_NE(error_of(dir.write("e.jsonl", "{\"text\":3,\"label\":1}\n"))
                .find("field \"text\" is not a string"),
            std::string::npos);
  EXPECT_NE(error_of(dir.write("f.jsonl", "{\"text\":\"a\",\"label\":1,\"gold\":[5]}\n"))
                .find("gold spans must be"),
            std::string::npos);
  EXPECT_NE(
      error_of(dir.write("g.jsonl", "{\"text\":\"a\\u0000b\",\"label\":1}\n")).find("NUL byte"),
      std::string::npos);
}

TEST(Reader, TellsTreesFromLines) {
  const TempDirectory dir;
  const auto format = [](const std::string& path) {
    LineReader lines(path);
    return detect_format(lines).name;
  };
  EXPECT_EQ(format(dir.write("a.txt", "(3 (2 A) (3 word))\n")), "sst");
  EXPECT_EQ(format(dir.write("b.txt", "\nJust text\n")), "lines");
  EXPECT_NE(error_of(dir.path() / "b.txt").find("plain lines carry no labels"), std::string::npos);
  EXPECT_EQ(read(dir.path() / "b.txt", {}, false).size(), 2u);
}

TEST(Reader, ReadsGzipByItsInnerName) {
  const TempDirectory dir;
  const std::string path = (dir.path() / "a.csv.gz").string();
  const std::string content = "text,label\nhello,1\n";
  gzFile gz = gzopen(path.c_str(), "wb");
  gzwrite(gz, content.data(), static_cast<unsigned>(content.size()));
  gzclose(gz);
  EXPECT_EQ(read(path).at(0).text, "hello");
}

TEST(Reader, DetectsTheFormatOfAPipeWithoutLosingItsBeginning) {
  const TempDirectory dir;
  const std::filesystem::path pipe = dir.path() / "pipe";
  const std::vector<std::pair<std::string, std::string>> inputs = {
      {"lines", "one\n"},
      {"jsonl", "{\"text\":\"one\",\"label\":1}\n"},
      {"sst", "(3 (2 A) (3 word))\n"},
  };
  for (const auto& [name, line] : inputs) {
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&, line = line] {
      std::ofstream out(pipe, std::ios::binary);
      for (int i = 0; i < 20000; ++i) out << line;
    });
    EXPECT_EQ(read(pipe.string(), {}, false).size(), 20000u) << name;
    writer.join();
    std::filesystem::remove(pipe);
  }
}

TEST(Reader, ARowThatNeverEndsIsRefused) {
  const TempDirectory dir;
  std::string open_quote = "text,label\n\"";
  for (size_t i = 0; i <= kLongestLine / 1000; ++i) open_quote += std::string(1000, 'x') + "\n";
  EXPECT_NE(error_of(dir.write("a.csv", open_quote)).find("a.csv:2: a quoted field is not closed"),
            std::string::npos);
}

TEST(Reader, DeepNestingIsRefused) {
  const TempDirectory dir;
  const std::string line = "{\"text\":\"a\",\"label\":1,\"gold\":" + std::string(80000, '[') +
                           std::string(80000, ']') + "}";
  EXPECT_NE(error_of(dir.write("a.jsonl", line)).find("a.jsonl:1: JSON that is nested"),
            std::string::npos);
}

}  // namespace
}  // namespace hardkuma
