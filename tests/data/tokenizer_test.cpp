#include "hardkuma/data/tokenizer.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

using Words = std::vector<std::string>;

Words words(std::string_view text, Tokenizer tokenizer = Tokenizer::Words) {
  Words out;
  for (const Token& token : tokenize(text, tokenizer)) out.emplace_back(token.in(text));
  return out;
}

TEST(Tokenizer, SplitsPunctuationAndClitics) {
  EXPECT_EQ(words("It's \"good\", isn't it?"),
            (Words{"It", "'s", "\"", "good", "\"", ",", "is", "n't", "it", "?"}));
  EXPECT_EQ(words("I'd say they're CAN'T-miss, we'll see; you've"),
            (Words{"I", "'d", "say", "they", "'re", "CAN'T-miss", ",", "we", "'ll", "see", ";",
                   "you", "'ve"}));
  EXPECT_EQ(words("don\u2019t (brackets) [too]"),
            (Words{"do", "n\u2019t", "(", "brackets", ")", "[", "too", "]"}));
}

TEST(Tokenizer, KeepsWordsNumbersAndDotsTogether) {
  EXPECT_EQ(words("well-made 1,000.50 3.5% U.S. o'clock"),
            (Words{"well-made", "1,000.50", "3.5", "%", "U.S.", "o'clock"}));
  EXPECT_EQ(words("Wait... what?! -- no"), (Words{"Wait", "...", "what", "?", "!", "--", "no"}));
  EXPECT_EQ(words("end. Next,word"), (Words{"end", ".", "Next", ",", "word"}));
}

TEST(Tokenizer, HandlesUnicode) {
  EXPECT_EQ(words("naïve café – über"), (Words{"naïve", "café", "–", "über"}));
  EXPECT_EQ(words("love 🍺👍🏽!"), (Words{"love", "🍺", "👍🏽", "!"}));
  EXPECT_EQ(words("a\u00a0b\u2003c"), (Words{"a", "b", "c"}));
  EXPECT_TRUE(words(" \t\n").empty());
  EXPECT_TRUE(words("").empty());
}

// ICU's dictionaries cut them.
TEST(Tokenizer, FindsTheWordsOfScriptsWithoutSpaces) {
  EXPECT_EQ(words("อาหารอร่อยมาก"), (Words{"อาหาร", "อร่อย", "มาก"}));
  EXPECT_EQ(words("味道不错，送餐很快"), (Words{"味道", "不错", "，", "送", "餐", "很快"}));
  EXPECT_EQ(words("東京都に住んでいます。"),
            (Words{"東京", "都", "に", "住", "んで", "い", "ます", "。"}));
  EXPECT_EQ(words("ខ្ញុំស្រលាញ់").size(), 2u);
  EXPECT_EQ(words("A4用紙を2枚"), (Words{"A4", "用紙", "を", "2", "枚"}));
  EXPECT_EQ(words("𠮷野家"), (Words{"𠮷", "野家"}));  // beyond the first 65,536 characters
}

TEST(Tokenizer, OffsetsCutTheTextInBothUnits) {
  const std::string text = "é🍺 don't อาหารอร่อย 味道不错 𠮷野家 x";
  const auto points = code_points(text);
  for (const Tokenizer kind : {Tokenizer::Words, Tokenizer::Whitespace}) {
    int64_t last = 0;
    for (const Token& token : tokenize(text, kind)) {
      EXPECT_EQ(points[static_cast<size_t>(token.start)].byte, token.byte_start);
      EXPECT_EQ(count_code_points(token.in(text)), token.end - token.start);
      EXPECT_GE(token.start, last);
      last = token.end;
    }
  }
}

TEST(Tokenizer, WhitespaceLeavesWordsAsGiven) {
  EXPECT_EQ(words("it's -LRB- ok", Tokenizer::Whitespace), (Words{"it's", "-LRB-", "ok"}));
}

TEST(Tokenizer, MillionsOfWordsTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "word ";
  EXPECT_EQ(tokenize(text, Tokenizer::Words).size(), 1'000'000u);
}

TEST(AppendWord, OffsetsAreThoseOfTheTextItMakes) {
  std::string text;
  std::vector<Token> tokens;
  for (const char* word : {"héad", ",", "x"}) append_word(text, tokens, word);
  EXPECT_EQ(text, "héad , x");
  ASSERT_EQ(tokens.size(), 3u);
  EXPECT_EQ(tokens[1].in(text), ",");
  EXPECT_EQ(tokens[1].start, 5);
  EXPECT_EQ(tokens[1].byte_start, 6);
  EXPECT_EQ(tokens[2].end, 8);
}

}  // namespace
}  // namespace hardkuma
