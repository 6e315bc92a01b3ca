#include "hardkuma/data/snli.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "hardkuma/data/dataset.h"
#include "hardkuma/data/make_example.h"
#include "hardkuma/data/vocabulary.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

DataOptions pairs() {
  DataOptions options;
  options.columns.pair = true;
  return options;
}

std::vector<std::string> words_of(const RawText& text) {
  std::vector<std::string> out;
  for (const Token& token : text.tokens) out.emplace_back(token.in(text.text));
  return out;
}

std::string snli_error(const std::string& path, const DataOptions& options = pairs()) {
  return message_of<InputError>([&] { read_split(path, options); });
}

using Strings = std::vector<std::string>;

TEST(Snli, LeavesOfAParse) {
  EXPECT_EQ(parse_leaves("( ( A man ) ( ( is asleep ) . ) )"),
            (Strings{"A", "man", "is", "asleep", "."}));
  EXPECT_EQ(parse_leaves("Hi"), Strings{"Hi"});
  EXPECT_EQ(parse_leaves(""), Strings{});
}

TEST(Snli, LeavesAreFoundInTheTextAsItStands) {
  RawText text;
  text.text = "A  mäñ (he) isn't \"sad\".";
  cut_at_leaves({"A", "mäñ", "-LRB-", "he", "-RRB-", "is", "n't", "``", "sad", "''", "."}, text);
  EXPECT_EQ(words_of(text),
            (Strings{"A", "mäñ", "(", "he", ")", "is", "n't", "\"", "sad", "\"", "."}));
  EXPECT_EQ(text.tokens[1].start, 3);  // in code points
  EXPECT_EQ(text.tokens[2].start, 7);
  EXPECT_EQ(text.tokens[2].byte_start, 9);
  EXPECT_EQ(text.text, "A  mäñ (he) isn't \"sad\".");
}

TEST(Snli, LeavesThatAreNotTheTextsBecomeIt) {
  RawText text;
  text.text = "A man sleeps";
  cut_at_leaves({"A", "woman", "-LRB-", "sleeps"}, text);
  EXPECT_EQ(text.text, "A woman ( sleeps");
  EXPECT_EQ(text.tokens.size(), 4u);
  text.text = "A man sleeps. And more";
  cut_at_leaves({"A", "man"}, text);
  EXPECT_EQ(text.text, "A man");
}

TEST(Snli, AnEmptyParseLeavesTheTextToTheTokeniser) {
  RawText text;
  text.text = "A man.";
  cut_at_leaves(parse_leaves(" \n"), text);
  EXPECT_EQ(text.text, "A man.");
  EXPECT_TRUE(text.tokens.empty());
  EXPECT_EQ(parse_leaves("( A\nman )"), (Strings{"A", "man"}));
}

TEST(Snli, HighlightsOfAnotherTextMakeAPairUnmarked) {
  const TempDirectory dir;
  const RawSplit split =
      read_split(dir.write("dev.csv",
                           "gold_label,Sentence1,Sentence2,Sentence1_marked_1,Sentence2_marked_1\n"
                           "x,A man,A dog,A *woman*,A *dog*\ny,A man,A dog,A *man*,A *dog*\n"),
                 pairs());
  EXPECT_EQ(split.misplaced_marks, 1);
  EXPECT_FALSE(split.examples[0].has_gold);
  EXPECT_TRUE(split.examples[0].second.gold.empty());
  EXPECT_TRUE(split.examples[1].has_gold);
}

TEST(Snli, PairsOfOneFirstTextStayTogether) {
  const TempDirectory dir;
  std::string lines = "label\tpremise\thypothesis\n";
  for (int i = 0; i < 300; ++i) {
    lines += std::string(i % 2 == 0 ? "x" : "y") + "\tA man " + std::to_string(i / 3) + "\tHe " +
             std::to_string(i) + "\n";
  }
  const RawDataset dataset = read_dataset(dir.write("pairs.tsv", lines), pairs());
  std::map<std::string, std::string> part_of_text;
  for (const auto& [name, split] : dataset.splits) {
    for (const RawExample& example : split.examples) {
      EXPECT_EQ(part_of_text.try_emplace(example.text, name).first->second, name);
    }
  }
  EXPECT_EQ(part_of_text.size(), 100u);
}

TEST(Snli, PartsAreFoundByThePublishedNames) {
  const TempDirectory dir;
  const std::string line = R"J({"gold_label":"x","sentence1":"a","sentence2":"b"})J";
  dir.write("snli_1.0_train.jsonl", line + "\n");
  dir.write("snli_1.0_dev.jsonl", line + "\n");
  const RawDataset dataset = read_dataset(dir.path().string(), pairs());
  EXPECT_EQ(dataset.splits.size(), 2u);
}

TEST(Snli, StarsMarkGoldWords) {
  std::vector<CharSpan> spans;
  EXPECT_TRUE(add_marked("A mäñ sleeps.", "A *mäñ* *sleeps.*", spans));
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].start, 2);
  EXPECT_EQ(spans[0].end, 5);
  EXPECT_EQ(spans[1].start, 6);
  EXPECT_EQ(spans[1].end, 13);
  spans.clear();
  EXPECT_TRUE(add_marked("5 * 3 is  odd", "5 * 3 is *odd*", spans));  // a star of the text's own
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].start, 10);
  spans.clear();
  EXPECT_FALSE(add_marked("A man", "A *woman*", spans));
  EXPECT_FALSE(add_marked("A man", "A *man", spans));
  EXPECT_FALSE(add_marked("A man", "A", spans));
  EXPECT_TRUE(spans.empty());
  EXPECT_TRUE(add_marked("", "", spans));
}

TEST(Snli, ReadsTheCorpusAsItIsPublished) {
  const TempDirectory dir;
  const std::string path = dir.write(
      "train.jsonl",
      R"J({"gold_label":"neutral","pairID":"7n","sentence1":"A man sleeps.",)J"
      R"J("sentence1_binary_parse":"( ( A man ) ( sleeps . ) )","sentence2":"He's old",)J"
      R"J("sentence2_binary_parse":"( He ( 's old ) )"})J"
      "\n"
      R"J({"gold_label":"-","pairID":"8","sentence1":"A","sentence2":""})J"
      "\n"
      R"J({"gold_label":"entailment","pairID":"9e","sentence1":"No parse here.","sentence2":"None."})J"
      "\n");
  const RawSplit split = read_split(path, pairs());
  EXPECT_EQ(split.undecided, 1);
  ASSERT_EQ(split.examples.size(), 2u);
  EXPECT_EQ(split.examples[0].id, "7n");
  EXPECT_EQ(words_of(split.examples[0]), (Strings{"A", "man", "sleeps", "."}));
  EXPECT_EQ(words_of(split.examples[0].second), (Strings{"He", "'s", "old"}));
  EXPECT_EQ(words_of(split.examples[1]), (Strings{"No", "parse", "here", "."}));
  EXPECT_FALSE(split.examples[0].has_gold);
}

TEST(Snli, ReadsHighlightsOfAllAnnotators) {
  const TempDirectory dir;
  const std::string path =
      dir.write("dev.csv",
                "pairID,gold_label,Sentence1,Sentence2,Sentence1_marked_1,Sentence2_marked_1,"
                "Sentence1_marked_2,Sentence2_marked_2\n"
                "1,entailment,\"A man, asleep\",A person,\"A *man,* asleep\",A *person*,"
                "\"A man, *asleep*\",A person\n"
                "2,neutral,No marks,here,,,,\n");
  const RawSplit split = read_split(path, pairs());
  ASSERT_EQ(split.examples.size(), 2u);
  EXPECT_TRUE(split.examples[0].has_gold);
  EXPECT_EQ(gold_mask(split.examples[0].tokens, split.examples[0].gold),
            (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(gold_mask(split.examples[0].second.tokens, split.examples[0].second.gold),
            (std::vector<uint8_t>{0, 1}));
  EXPECT_FALSE(split.examples[1].has_gold);
}

TEST(Snli, BadPairsAreNamed) {
  const TempDirectory dir;
  EXPECT_NE(snli_error(dir.write("a.tsv", "label\tpremise\thypothesis\nx\tA man\t\n"))
                .find("a.tsv:2: the second text is empty"),
            std::string::npos);
  EXPECT_NE(snli_error(dir.write("b.tsv", "label\tpremise\thypothesis\nx\t \tA man\n"))
                .find("b.tsv:2: the first text is empty"),
            std::string::npos);
  EXPECT_NE(snli_error(dir.write("c.csv", "label,premise\nx,A man\n"))
                .find("c.csv:1: no column for the second text of a pair; name it with --second"),
            std::string::npos);
  EXPECT_NE(snli_error(dir.write("d.jsonl", "{\"label\":\"x\",\"text1\":\"a\"}\n"))
                .find("d.jsonl:1: no column for the second text"),
            std::string::npos);
  std::string long_text;
  for (int i = 0; i < 10000; ++i) long_text += "word ";
  const std::string path =
      dir.write("e.csv", "label,premise,hypothesis\nx,A man," + long_text + "\n");
  EXPECT_NE(
      snli_error(path).find("e.csv:2: a text of 10,000 tokens, more than the limit of 1,000 for "
                            "a side of a pair; cut long texts with --truncate"),
      std::string::npos);
  DataOptions options = pairs();
  options.truncate = true;
  EXPECT_EQ(read_split(path, options).examples[0].second.tokens.size(), 1000u);
  options.columns.text = options.columns.second = "premise";
  EXPECT_NE(snli_error(path, options).find("column \"premise\" is to be both texts"),
            std::string::npos);
  // One text was looked for and two are there.
  EXPECT_NE(snli_error(path, {}).find("models of pairs are trained with --preset snli"),
            std::string::npos);
  EXPECT_NE(snli_error(dir.write("f.txt", "(3 (2 A) (3 tree))\n")).find("two text columns"),
            std::string::npos);
}

TEST(Vocabulary, UnknownWordsFallIntoClassesByTheirMd5) {
  Vocabulary vocabulary;
  vocabulary.add_null();
  vocabulary.add_unknown_classes(100);
  const int32_t man = vocabulary.add("man");
  EXPECT_EQ(man, 102);
  EXPECT_EQ(vocabulary.find("Man"), man);
  EXPECT_EQ(vocabulary.find("abc"), 2 + 70);
  EXPECT_TRUE(vocabulary.is_unknown(vocabulary.find("abc")));
  EXPECT_FALSE(vocabulary.is_unknown(man));
  EXPECT_FALSE(vocabulary.is_unknown(kNullWord));
  const Vocabulary again = Vocabulary::from_text(vocabulary.to_text(), "vocab.txt");
  EXPECT_EQ(again.find("abc"), vocabulary.find("abc"));
  EXPECT_EQ(again.find("man"), man);
  EXPECT_TRUE(again.is_unknown(again.find("qwertz")));
  EXPECT_EQ(again.known(), 1);
  EXPECT_TRUE(Vocabulary::is_reserved("<unk:7>"));
  EXPECT_FALSE(Vocabulary::is_reserved("<b>"));
}

}  // namespace
}  // namespace hardkuma
