#include "hardkuma/data/vocabulary.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;

TEST(Vocabulary, LooksUpExactThenLowerThenUnknown) {
  Vocabulary v;
  const int32_t the = v.add("the");
  const int32_t us = v.add("US");
  const int32_t lower_us = v.add("us");
  const int32_t open = v.add("(");
  EXPECT_EQ(v.find("The"), the);
  EXPECT_EQ(v.find("US"), us);
  EXPECT_EQ(v.find("Us"), lower_us);
  EXPECT_EQ(v.find("zzz"), 0);
  EXPECT_EQ(v.find("-LRB-"), open);
  EXPECT_EQ(v.add("the"), the);
}

TEST(Vocabulary, SurvivesTextAndBack) {
  Vocabulary v;
  for (const char* word : {"a", "é", "🍺", "n't"}) v.add(word);
  const Vocabulary back = Vocabulary::from_text(v.to_text(), "vocab.txt");
  EXPECT_EQ(back.size(), v.size());
  EXPECT_EQ(back.find("🍺"), v.find("🍺"));
}

TEST(Vocabulary, ForeignFilesAreRefused) {
  const auto error = [](const char* text) {
    return message_of<InputError>([&] { Vocabulary::from_text(text, "v.txt"); });
  };
  EXPECT_NE(error("").find("v.txt: the vocabulary is empty"), std::string::npos);
  EXPECT_NE(error("a\nb\n").find("v.txt:1: not a vocabulary"), std::string::npos);
  EXPECT_NE(error("<unk>\na\na\n").find("v.txt:3: the word \"a\" stands twice"), std::string::npos);
}

}  // namespace
}  // namespace hardkuma
