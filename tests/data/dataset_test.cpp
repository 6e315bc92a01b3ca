#include "hardkuma/data/dataset.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/data/make_example.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

std::string many_rows(int count) {
  std::string csv = "text,label\n";
  for (int i = 0; i < count; ++i)
    csv += "text number " + std::to_string(i % (count / 2)) + "," + std::to_string(i % 2) + "\n";
  return csv;
}

TEST(Dataset, SplitsAFileSoThatEqualTextsStayTogether) {
  const TempDirectory dir;
  const RawDataset data = read_dataset(dir.write("a.csv", many_rows(1000)), {});
  std::map<std::string, std::string> side;
  size_t total = 0;
  for (const auto& [name, split] : data.splits) {
    total += split.examples.size();
    for (const RawExample& e : split.examples) {
      const auto [at, is_new] = side.emplace(e.text, name);
      EXPECT_EQ(at->second, name) << e.text;
    }
  }
  EXPECT_EQ(total, 1000u);
  EXPECT_NEAR(static_cast<double>(data.splits.at("dev").examples.size()), 100.0, 40.0);
  EXPECT_NEAR(static_cast<double>(data.splits.at("test").examples.size()), 100.0, 40.0);
}

TEST(Dataset, ReadsADirectoryAndMakesDevWhereThereIsNone) {
  const TempDirectory dir;
  dir.write("train.csv", many_rows(200));
  RawDataset data = read_dataset(dir.path().string(), {});
  EXPECT_EQ(data.splits.count("test"), 0u);
  EXPECT_GT(data.splits.at("dev").examples.size(), 0u);
  dir.write("valid.csv", "text,label\nx,1\n");
  data = read_dataset(dir.path().string(), {});
  EXPECT_EQ(data.splits.at("dev").examples.size(), 1u);
  EXPECT_EQ(data.splits.at("train").examples.size(), 200u);
  EXPECT_EQ(data.fingerprints.size(), 2u);
}

// A pipe can be read but once: its fingerprint is of the bytes that became examples.
TEST(Dataset, IsKnownByTheBytesThatWereRead) {
  const TempDirectory dir;
  const std::string path = dir.write("a.csv", many_rows(1000));
  const std::filesystem::path pipe = dir.path() / "pipe.csv";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << many_rows(1000); });
  const RawDataset piped = read_dataset(pipe.string(), {});
  writer.join();
  EXPECT_EQ(piped.fingerprints.at("pipe.csv"), file_fingerprint(path));
  EXPECT_EQ(read_dataset(path, {}).fingerprints.at("a.csv"), file_fingerprint(path));
}

TEST(Dataset, BadDirectoriesAndFilesAreNamed) {
  const TempDirectory dir;
  const auto error = [](const std::string& path) {
    return message_of<InputError>([&] { read_dataset(path, {}); });
  };
  EXPECT_NE(error(dir.path().string()).find("no train.csv"), std::string::npos);
  EXPECT_NE(error("/no/such").find("no such file or directory"), std::string::npos);
  EXPECT_NE(error(dir.write("e.csv", "text,label\n")).find("no examples"), std::string::npos);
  EXPECT_NE(error(dir.write("t.csv", "text,label\n   ,1\n")).find("t.csv:2: the text is empty"),
            std::string::npos);
  EXPECT_NE(error(dir.write("l.csv", "text,label\na,\n")).find("l.csv:2: the label is empty"),
            std::string::npos);
  EXPECT_NE(error(dir.write("s.csv", "text,label\na,1\n")).find("too few texts to split"),
            std::string::npos);
  dir.write("train.csv", "text,label\na,1\n");
  dir.write("train.tsv", "text\tlabel\na\t1\n");
  EXPECT_NE(error(dir.path().string()).find("both train.csv and train.tsv"), std::string::npos);
}

TEST(Dataset, LongTextsAreRefusedOrCut) {
  const TempDirectory dir;
  std::string text;
  for (int i = 0; i < 50; ++i) text += "w ";
  const std::string path = dir.write("a.csv", "text,label\n" + text + ",1\n");
  DataOptions options;
  options.max_tokens = 10;
  EXPECT_NE(message_of<InputError>([&] { read_split(path, options); })
                .find("a.csv:2: a text of 50 tokens, more than the limit of 10; cut long texts "
                      "with --truncate"),
            std::string::npos);
  options.truncate = true;
  EXPECT_EQ(read_split(path, options).examples[0].tokens.size(), 10u);
}

TEST(Dataset, APipeIsReadOnce) {
  const TempDirectory dir;
  const std::string pipe = (dir.path() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NO_THROW(check_read_again(pipe, 1));
  EXPECT_NE(message_of<InputError>([&] { check_read_again(pipe, 2); }).find("pipe: a pipe can be"),
            std::string::npos);
  EXPECT_NO_THROW(check_read_again(dir.path().string(), 2));
  EXPECT_NO_THROW(check_read_again(dir.write("a.csv", "text,label\n"), 2));
}

TEST(Dataset, GoldMaskTakesTokensThatOverlap) {
  const auto tokens = tokenize("ab cd ef", Tokenizer::Words);
  EXPECT_EQ(gold_mask(tokens, {{4, 6}}), (std::vector<uint8_t>{0, 1, 0}));
  EXPECT_EQ(gold_mask(tokens, {{0, 2}, {6, 8}}), (std::vector<uint8_t>{1, 0, 1}));
  EXPECT_EQ(gold_mask(tokens, {{2, 3}}), (std::vector<uint8_t>{0, 0, 0}));
}

TEST(Dataset, ScoresBecomeBalancedClasses) {
  const TempDirectory dir;
  std::string csv = "text,label\n";
  for (int i = 0; i < 110; ++i) {
    csv += "text number " + std::to_string(i) + "," + std::to_string(i % 11 / 10.0) + "\n";
  }
  dir.write("train.csv", csv);
  dir.write("dev.csv", csv);
  DataOptions options;
  options.binarise = true;
  const RawDataset data = read_dataset(dir.path().string(), options);
  std::map<std::string, int> train;
  std::map<std::string, int> dev;
  for (const RawExample& e : data.splits.at("train").examples) ++train[e.label];
  for (const RawExample& e : data.splits.at("dev").examples) ++dev[e.label];
  // 0 … 0.4 and 0.6 … 1 are five scores each; 0.5 is left out.
  EXPECT_EQ(train, (std::map<std::string, int>{{"negative", 50}, {"positive", 50}}));
  EXPECT_EQ(dev, train);
  options.negative_below = 0.15;
  const RawDataset skewed = read_dataset(dir.path().string(), options);
  train.clear();
  dev.clear();
  for (const RawExample& e : skewed.splits.at("train").examples) ++train[e.label];
  for (const RawExample& e : skewed.splits.at("dev").examples) ++dev[e.label];
  EXPECT_EQ(train, (std::map<std::string, int>{{"negative", 20}, {"positive", 20}}));
  EXPECT_EQ(dev, (std::map<std::string, int>{{"negative", 20}, {"positive", 50}}));
  dir.write("train.csv", "text,label\na,good\n");
  EXPECT_NE(message_of<InputError>([&] {
              read_dataset(dir.path().string(), options);
            }).find("train.csv:2: data.binarise needs one number as label, got \"good\""),
            std::string::npos);
}

}  // namespace
}  // namespace hardkuma
