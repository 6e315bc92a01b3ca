#include "hardkuma/data/beer.h"

#include <gtest/gtest.h>

#include "hardkuma/data/make_example.h"

#include <cstdlib>
#include <filesystem>

#include "hardkuma/common/error.h"
#include "hardkuma/data/dataset.h"
#include "hardkuma/data/labels.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

const std::string kLine = "0.90 0.70 0.60 0.90 0.60\tA dark , thick pour .";
const std::string kAnnotated =
    R"({"0": [[0, 2], [3, 5]], "1": [], "2": [[5, 6]], "x": ["A", "dark", "é", "thick", "pour", "."], )"
    R"("y": [0.9, 0.7, 0.6, 0.9, 0.6], "rid": 3})";

TEST(Beer, AspectsGoByNameOrNumber) {
  EXPECT_EQ(beer_aspect("look", "x"), 0);
  EXPECT_EQ(beer_aspect("2", "x"), 2);
  EXPECT_EQ(beer_aspect("overall", "x"), 4);
  EXPECT_EQ(beer_aspect("all", "x"), kAllAspects);
  const auto said = [](const std::string& name) {
    return message_of<InputError>([&] { beer_aspect(name, "beer"); });
  };
  EXPECT_NE(said("lok").find("did you mean \"look\"?"), std::string::npos);
  EXPECT_NE(said("5").find("there are: look, smell"), std::string::npos);
  EXPECT_NE(said("").find("name one with --aspect"), std::string::npos);
}

TEST(Beer, ALineIsScoresATabAndWordsAsGiven) {
  EXPECT_TRUE(looks_like_beer(kLine));
  EXPECT_FALSE(looks_like_beer("0.9 0.7 0.6\tthree scores"));
  EXPECT_FALSE(looks_like_beer("a review with a\ttab"));
  EXPECT_FALSE(looks_like_beer("4 3 5 2 1\tfive stars, but not of ours"));
  EXPECT_TRUE(looks_like_beer(kAnnotated));
  EXPECT_FALSE(looks_like_beer("{\"text\": \"a\"}"));
  EXPECT_FALSE(looks_like_beer(""));
  const RawExample smell = parse_beer(kLine, 1, "f:1");
  EXPECT_EQ(smell.label, "0.7");
  EXPECT_TRUE(smell.label_is_number);
  EXPECT_EQ(smell.tokens.size(), 6u);
  EXPECT_EQ(smell.tokens[2].in(smell.text), ",");
  const RawExample all = parse_beer(kLine, kAllAspects, "f:1");
  EXPECT_EQ(all.values, (std::vector<double>{0.9, 0.7, 0.6, 0.9, 0.6}));
}

TEST(Beer, WithoutAnAspectThereIsTextAlone) {
  const RawExample review = parse_beer("9 8\tA dark pour", kNoAspect, "f:1");
  EXPECT_EQ(review.text, "A dark pour");
  const RawExample annotated = parse_beer(kAnnotated, kNoAspect, "f:1");
  EXPECT_EQ(annotated.label, "");
  EXPECT_FALSE(annotated.has_gold);
}

TEST(Beer, BadLinesSayWhereAndWhat) {
  const auto said = [](const std::string& line) {
    return message_of<InputError>([&] { parse_beer(line, 0, "f:7"); });
  };
  EXPECT_NE(said("no tab here").find("f:7: not a beer review"), std::string::npos);
  EXPECT_NE(said("0.9 x 0.6 0.9 0.6\tw").find("not a beer review"), std::string::npos);
  EXPECT_NE(said("0.9 0.6\tw").find("2 scores where a beer review has five"), std::string::npos);
  EXPECT_NE(said("0.9 0.6 1.5 0 0\tw").find("score 1.5 is outside"), std::string::npos);
}

TEST(Beer, AnnotatedRangesBecomeCharacterSpans) {
  const RawExample look = parse_beer(kAnnotated, 0, "f:1");
  EXPECT_EQ(look.text, "A dark é thick pour .");
  ASSERT_TRUE(look.has_gold);
  EXPECT_EQ(gold_mask(look.tokens, look.gold), (std::vector<uint8_t>{1, 1, 0, 1, 1, 0}));
  EXPECT_EQ(look.gold[1].start, 9);                         // in characters, not bytes
  EXPECT_FALSE(parse_beer(kAnnotated, 1, "f:1").has_gold);  // nothing annotated
  const RawExample any = parse_beer(kAnnotated, kAllAspects, "f:1");
  EXPECT_EQ(gold_mask(any.tokens, any.gold), (std::vector<uint8_t>{1, 1, 0, 1, 1, 1}));
}

TEST(Beer, BadAnnotationsSayWhereAndWhat) {
  const auto said = [](const std::string& line) {
    return message_of<InputError>([&] { parse_beer(line, 0, "f:7"); });
  };
  EXPECT_NE(said("{").find("f:7: not valid JSON"), std::string::npos);
  EXPECT_NE(said(R"({"x": [1], "y": [0, 0, 0, 0, 0]})").find("must list words"), std::string::npos);
  EXPECT_NE(
      said(R"({"x": ["a"], "y": [0, 0, 0, 0, 0], "0": [[0, 2]]})").find("outside the 1 words"),
      std::string::npos);
  EXPECT_NE(said(R"({"x": ["a"], "y": [0, 0, 0, 0, 0], "0": [[0]]})").find("[start, end]"),
            std::string::npos);
  EXPECT_NE(said(R"({"x": ["a", ""], "y": [0, 0, 0, 0, 0]})").find("word 2 of \"x\" is empty"),
            std::string::npos);
}

std::string reviews(int count, int words) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += std::to_string(i % 11 / 10.0) + " 0.1 0.2 0.3 0.4\tr" + std::to_string(i);
    for (int w = 1; w < words; ++w) out += " w";
    out += "\n";
  }
  return out;
}

TEST(Beer, ADirectoryHasAnAspectsOwnReviewsOrThoseOfAll) {
  const TempDirectory dir;
  dir.write("reviews.aspect0.train.txt", reviews(30, 5));
  dir.write("reviews.aspect0.heldout.txt", reviews(10, 5));
  dir.write("reviews.260k.train.txt", reviews(40, 5));
  dir.write("reviews.260k.heldout.txt", reviews(20, 5));
  dir.write("annotations.json", kAnnotated + "\n");
  const auto read = [&](const std::string& aspect) {
    DataOptions options;
    options.columns.aspect = aspect;
    options.train_tokens = 3;
    return read_dataset(dir.path().string(), options);
  };
  const RawDataset look = read("look");
  EXPECT_EQ(look.splits.at("train").examples.size(), 30u);
  EXPECT_EQ(look.splits.at("dev").examples.size(), 10u);
  EXPECT_EQ(look.splits.at("train").examples[0].tokens.size(), 3u);  // cut
  EXPECT_EQ(look.splits.at("dev").examples[0].tokens.size(), 3u);
  EXPECT_EQ(look.splits.at("test").examples[0].tokens.size(), 6u);  // never cut
  EXPECT_EQ(read("smell").splits.at("train").examples.size(), 40u);
  EXPECT_EQ(read("0").splits.at("train").aspect, "look");  // by its name from here on
  EXPECT_FALSE(look.fingerprints.contains("annotations.json"));
  const RawDataset all = read("all");
  EXPECT_EQ(all.splits.at("train").examples[0].values.size(), 5u);
  const TaskInfo task = find_task({&all.splits.at("train")}, TaskChoice::Auto);
  EXPECT_TRUE(task.regression);
  EXPECT_EQ(task.outputs(), 5);
  EXPECT_EQ(task.labels[2], "palate");
  EXPECT_NE(message_of<InputError>([&] { read(""); }).find("name one with --aspect"),
            std::string::npos);
}

// Held-out reviews of all aspects may be training reviews of one.
TEST(Beer, HeldOutReviewsComeFromTheSameKindOfFile) {
  const TempDirectory dir;
  dir.write("reviews.aspect0.train.txt", reviews(100, 5));
  dir.write("reviews.260k.train.txt", reviews(200, 5));
  dir.write("reviews.260k.heldout.txt", reviews(150, 5));
  DataOptions options;
  options.columns.aspect = "look";
  const RawDataset look = read_dataset(dir.path().string(), options);
  EXPECT_EQ(look.splits.at("train").examples.size() + look.splits.at("dev").examples.size(), 100u);
}

TEST(Beer, TheRealFilesAreReadWhereTheyAre) {
  const char* data = std::getenv("HARDKUMA_DATA");
  if (data == nullptr || !std::filesystem::exists(std::string(data) + "/beer")) {
    GTEST_SKIP() << "no beer reviews: set HARDKUMA_DATA to a directory that has beer/";
  }
  DataOptions options;
  options.columns.aspect = "look";
  options.train_tokens = 256;
  const RawDataset raw = read_dataset(std::string(data) + "/beer", options);
  EXPECT_GE(raw.splits.at("train").examples.size(), 9000u);
  int64_t gold = 0;
  int64_t words = 0;
  for (const RawExample& review : raw.splits.at("test").examples) {
    if (!review.has_gold) continue;
    for (const uint8_t in : gold_mask(review.tokens, review.gold)) gold += in;
    words += static_cast<int64_t>(review.tokens.size());
  }
  EXPECT_NEAR(static_cast<double>(gold) / static_cast<double>(words), 0.184, 0.005);
}

}  // namespace
}  // namespace hardkuma
