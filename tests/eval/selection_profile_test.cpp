#include "hardkuma/eval/selection_profile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hardkuma/data/tokenizer.h"

namespace hardkuma {
namespace {

// "[good beer] here": words in brackets are selected.
void add(const std::string& marked, int64_t label, std::vector<Example>& set,
         std::vector<ExamplePrediction>& predictions) {
  Example example;
  ExamplePrediction prediction;
  prediction.scores = {label == 0 ? 0.9f : 0.1f, label == 0 ? 0.1f : 0.9f};
  bool inside = false;
  for (const Token& token : tokenize(marked, Tokenizer::Whitespace)) {
    std::string word(token.in(marked));
    if (word.starts_with("[")) {
      inside = true;
      word = word.substr(1);
    }
    const bool ends = word.ends_with("]");
    if (ends) word.pop_back();
    append_word(example.text, example.tokens, word);
    example.words.push_back(static_cast<int32_t>(word.size()));
    prediction.z.push_back(inside ? 1.0f : 0.0f);
    prediction.p_zero.push_back(0.5f);
    if (ends) inside = false;
  }
  set.push_back(example);
  predictions.push_back(prediction);
}

TEST(SelectionProfile, CountsPhrasesPlacesAndFrequencies) {
  std::vector<Example> set;
  std::vector<ExamplePrediction> predictions;
  add("[Very good] beer , yes", 1, set, predictions);
  add("a [very good ,] beer", 1, set, predictions);
  add("[very bad] beer", 0, set, predictions);
  add("[very bad] beer and [very bad] again", 0, set, predictions);
  TaskInfo task;
  task.labels = {"no", "yes"};
  const WordCounts seen = {{"very", 1000}, {"good", 1000}, {"beer", 1000},
                           {"bad", 7},     {"and", 7},     {"yes", 7}};
  const SelectionProfile profile = selection_profile(set, predictions, task, seen);
  ASSERT_EQ(profile.phrases.size(), 2u);
  const auto& no = profile.phrases[0].second;
  EXPECT_EQ(profile.phrases[0].first, "no");
  EXPECT_EQ(no[0].text, "bad");  // as often as "very bad", and before it in the alphabet
  EXPECT_EQ(no[0].selected, 2);  // once for each text
  EXPECT_EQ(no[0].elsewhere, 0);
  EXPECT_EQ(no[1].text, "very bad");
  EXPECT_EQ(no.size(), 2u);  // "very" is selected as often elsewhere
  for (const auto& phrase : profile.phrases[1].second)
    EXPECT_EQ(phrase.text.find(','), std::string::npos);
  ASSERT_EQ(profile.by_position.size(), 10u);
  EXPECT_DOUBLE_EQ(profile.by_position[0], 0.75);
  EXPECT_EQ(profile.by_frequency[0].first, "never");
  EXPECT_EQ(profile.by_frequency[1].first, "1+");
  EXPECT_DOUBLE_EQ(profile.by_frequency[1].second, 3.0 / 5.0);  // bad three times; and, yes not
  EXPECT_EQ(profile.by_frequency[2].first, "1,000+");
}

TEST(SelectionProfile, OfFirstAndOfLastWords) {
  std::vector<Example> set;
  std::vector<ExamplePrediction> predictions;
  for (const char* text : {"[a] b c", "a b [c]", "[a b] c", "[a]"}) add(text, 0, set, predictions);
  TaskInfo task;
  task.labels = {"no", "yes"};
  const SelectionProfile profile = selection_profile(set, predictions, task, {});
  EXPECT_DOUBLE_EQ(profile.first_word, 0.75);
  EXPECT_DOUBLE_EQ(profile.last_word, 0.5);  // a text's only word is both
  set.clear();
  predictions.clear();
  add("a [b] c d e f g h i j k l m n o p q r [s] t", 0, set, predictions);
  const SelectionProfile beside = selection_profile(set, predictions, task, {});
  EXPECT_DOUBLE_EQ(beside.by_position[0], 0.5);
  EXPECT_DOUBLE_EQ(beside.first_word, 0.0);
  EXPECT_DOUBLE_EQ(beside.by_position[9], 0.5);
  EXPECT_DOUBLE_EQ(beside.last_word, 0.0);
}

TEST(SelectionProfile, OfARegressionHasTwoSides) {
  std::vector<Example> set;
  std::vector<ExamplePrediction> predictions;
  for (int i = 0; i < 4; ++i) {
    add(i < 2 ? "[poor] beer" : "[rich] beer", 0, set, predictions);
    predictions.back().scores = {static_cast<float>(i) * 0.2f};
  }
  TaskInfo task;
  task.regression = true;
  const SelectionProfile profile = selection_profile(set, predictions, task, word_counts(set));
  EXPECT_EQ(word_counts(set).at("beer"), 4);
  EXPECT_EQ(profile.phrases[0].second[0].text, "poor");
  EXPECT_EQ(profile.phrases[1].second[0].text, "rich");
}

}  // namespace
}  // namespace hardkuma
