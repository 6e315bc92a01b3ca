#include "hardkuma/data/sst.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "hardkuma/common/error.h"
#include "hardkuma/data/dataset.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;

TEST(Sst, ReadsLeavesAndTheRootLabel) {
  const RawExample e =
      parse_sst_tree("(3 (2 It) (4 (2 's) (3 (2 -LRB-) (3 (2 1\\/2) (2 -RRB-)))))", "x:1");
  EXPECT_EQ(e.label, "3");
  EXPECT_EQ(e.text, "It 's ( 1/2 )");
  ASSERT_EQ(e.tokens.size(), 5u);
  EXPECT_EQ(e.tokens[3].in(e.text), "1/2");
  EXPECT_EQ(e.tokens[3].start, 8);
}

TEST(Sst, EveryWordHasItsOwnLabel) {
  EXPECT_EQ(sst_word_labels(" (3 (2 It) (4 (2 's) (3 (4 good) (1 bad))))", "x:1"),
            (std::vector<int>{2, 2, 4, 1}));
  EXPECT_EQ(sst_word_labels("(3 good)", "x:1"), (std::vector<int>{3}));
}

TEST(Sst, OffsetsAreCodePoints) {
  const RawExample e = parse_sst_tree("(1 (2 né) (1 x))", "x:1");
  EXPECT_EQ(e.tokens[1].start, 3);
  EXPECT_EQ(e.tokens[1].byte_start, 4);
}

TEST(Sst, MalformedTreesAreNamed) {
  const auto error = [](const char* line) {
    return message_of<InputError>([&] { parse_sst_tree(line, "f:7"); });
  };
  EXPECT_NE(error("hello").find("f:7: not a labelled tree"), std::string::npos);
  EXPECT_NE(error("(3 (2 a)").find("f:7: 1 \")\" missing"), std::string::npos);
  EXPECT_NE(error("(3 a))").find("too many"), std::string::npos);
  EXPECT_NE(error("(3 (x a))").find("without a label"), std::string::npos);
  EXPECT_NE(error("(3 (2 a) (3 b)) junk").find("after the end"), std::string::npos);
  EXPECT_NE(error("(3 a) (3 b)").find("after the end"), std::string::npos);
}

TEST(Sst, ReadsTheRealTreebank) {
  const char* data = std::getenv("HARDKUMA_DATA");
  if (data == nullptr || !std::filesystem::exists(std::filesystem::path(data) / "sst")) {
    GTEST_SKIP() << "set HARDKUMA_DATA to a directory that has sst/train.txt and sst/dev.txt";
  }
  const RawDataset dataset = read_dataset((std::filesystem::path(data) / "sst").string(), {});
  EXPECT_EQ(dataset.splits.at("train").examples.size(), 8544u);
  EXPECT_EQ(dataset.splits.at("dev").examples.size(), 1101u);
}

}  // namespace
}  // namespace hardkuma
