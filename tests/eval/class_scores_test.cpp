#include "hardkuma/eval/class_scores.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hardkuma/common/random.h"
#include "hardkuma/eval/evaluation.h"
#include "hardkuma/eval/evaluation_fields.h"

namespace hardkuma {
namespace {

// Texts of one word with these labels and predictions, over the classes ham, spam and news.
struct Judged {
  std::vector<Example> set;
  std::vector<ExamplePrediction> predictions;
  TaskInfo task;

  Judged(const std::vector<int>& given, const std::vector<int>& predicted,
         std::vector<std::string> labels = {"ham", "spam", "news"}) {
    task.labels = std::move(labels);
    for (size_t i = 0; i < given.size(); ++i) {
      Example example;
      example.target = static_cast<float>(given[i]);
      set.push_back(example);
      ExamplePrediction prediction;
      prediction.scores.assign(task.labels.size(), 0.1f);
      prediction.scores[static_cast<size_t>(predicted[i])] = 0.8f;
      predictions.push_back(prediction);
    }
  }

  Evaluation scores() const {
    Evaluation out;
    out.examples = static_cast<int64_t>(set.size());
    score_classes(set, predictions, task, out);
    int64_t correct = 0;
    for (const ClassScores& one : out.by_class) correct += one.correct;
    out.metric = static_cast<double>(correct) / static_cast<double>(out.examples);
    return out;
  }
};

TEST(ClassScores, AreThoseCountedByHand) {
  const Evaluation e = Judged({0, 0, 0, 0, 1, 1}, {0, 0, 0, 1, 1, 0}).scores();
  ASSERT_EQ(e.by_class.size(), 3u);
  EXPECT_DOUBLE_EQ(e.by_class[0].precision(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(e.by_class[0].recall(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(e.by_class[1].precision(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(e.by_class[1].recall(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(e.by_class[2].f1(), 0.0);
  const std::vector<std::vector<int64_t>> confusion = {{3, 1, 0}, {1, 1, 0}, {0, 0, 0}};
  EXPECT_EQ(e.confusion, confusion);
  // News neither occurs nor is predicted: it does not count.
  EXPECT_DOUBLE_EQ(e.macro_f1(), (0.75 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(e.majority(), 4.0 / 6);
  EXPECT_EQ(majority_class(e), "ham");
}

TEST(ClassScores, AClassOnlyPredictedCountsInMacroF1) {
  const Evaluation e = Judged({0, 0}, {0, 2}).scores();
  EXPECT_DOUBLE_EQ(e.macro_f1(), (2.0 / 3 + 0.0) / 2);
}

// Against the definition: every pair of a positive and a negative example.
TEST(RocAuc, IsTheShareOfPairsInTheRightOrder) {
  for (uint64_t round = 0; round < 30; ++round) {
    const RandomKey key = RandomKey(7).with(round);
    std::vector<float> scores;
    std::vector<bool> positive;
    for (uint64_t i = 0; i < 2 + key.below(40); ++i) {
      scores.push_back(static_cast<float>(key.with(i).below(8)) / 8);  // with ties
      positive.push_back(i == 0 || (i != 1 && key.with(i).with(1).below(2) == 0));
    }
    double right = 0;
    double pairs = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      for (size_t j = 0; j < scores.size(); ++j) {
        if (!positive[i] || positive[j]) continue;
        ++pairs;
        right += scores[i] > scores[j] ? 1.0 : scores[i] == scores[j] ? 0.5 : 0.0;
      }
    }
    EXPECT_NEAR(roc_auc(scores, positive), right / pairs, 1e-12);
  }
}

TEST(RocAuc, NeedsBothKinds) {
  EXPECT_EQ(roc_auc({0.5f, 0.2f}, {true, true}), -1.0);
  EXPECT_EQ(roc_auc({}, {}), -1.0);
}

TEST(ClassWarnings, NameWhatIsNeverRecognised) {
  // Six texts of spam, all missed, in a set where ham alone gives the same accuracy.
  const std::vector<int> given = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  const auto warnings = class_warnings(Judged(given, std::vector<int>(13, 0)).scores());
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "accuracy 53.8% is no better than always answering ham (53.8%)");
  EXPECT_EQ(warnings[1], "no text of this class is recognised: spam");
}

TEST(ClassWarnings, AreSilentOfAGoodModel) {
  EXPECT_TRUE(class_warnings(Judged({0, 1, 2}, {0, 1, 2}).scores()).empty());
  EXPECT_TRUE(class_warnings(Evaluation{}).empty());
}

TEST(ClassScores, SurviveJson) {
  const Evaluation e = Judged({0, 0, 1}, {0, 1, 1}, {"no", "yes"}).scores();
  const Evaluation back = evaluation_from_json(to_json(e));
  EXPECT_EQ(back.confusion, e.confusion);
  EXPECT_DOUBLE_EQ(back.macro_f1(), e.macro_f1());
  EXPECT_DOUBLE_EQ(back.auc, e.auc);
  ASSERT_EQ(back.by_class.size(), 2u);
  EXPECT_EQ(back.by_class[1].label, "yes");
}

}  // namespace
}  // namespace hardkuma
