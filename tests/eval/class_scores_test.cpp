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

TEST(ClassScores, CalibrationErrorIsTheGapBetweenConfidenceAndAccuracy) {
  // Ten predictions of 0.8, six of them right.
  Judged judged({0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, std::vector<int>(10, 0));
  EXPECT_NEAR(judged.scores().calibration_error(), 0.2, 1e-6);
  // A second bin, of confidence 1 and always right, halves it.
  Judged both({0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
              std::vector<int>(20, 0));
  for (size_t i = 10; i < 20; ++i) both.predictions[i].scores = {1.0f, 0.0f, 0.0f};
  const Evaluation e = both.scores();
  EXPECT_NEAR(e.calibration_error(), 0.1, 1e-6);
  EXPECT_EQ(e.by_confidence.back().examples, 10);
  const Evaluation back = evaluation_from_json(to_json(e));
  EXPECT_NEAR(back.calibration_error(), 0.1, 1e-6);
}

TEST(ClassWarnings, NameAClassThatIsToldByShowingLittle) {
  std::vector<int> given(40, 0);
  for (size_t i = 20; i < 40; ++i) given[i] = 1;
  Judged judged(given, given);
  for (size_t i = 0; i < 40; ++i) {
    judged.set[i].words.assign(10, 1);
    judged.predictions[i].z.assign(10, 0.0f);
    for (size_t t = 0; t < (given[i] == 0 ? 5u : 1u); ++t) judged.predictions[i].z[t] = 1.0f;
  }
  Evaluation e = judged.scores();
  e.selected_micro = 0.3;
  ASSERT_EQ(class_warnings(e).size(), 1u);
  EXPECT_NE(class_warnings(e)[0].find("texts predicted as spam show 10.0% of their words"),
            std::string::npos);
  EXPECT_NEAR(e.by_class[0].selected, 0.5, 1e-9);
  e.selected_micro = 0.19;  // no longer less than half
  EXPECT_TRUE(class_warnings(e).empty());
  e.without_evidence = 3;
  ASSERT_EQ(class_warnings(e).size(), 1u);
  EXPECT_NE(class_warnings(e)[0].find("3 of 40 texts"), std::string::npos);
}

}  // namespace
}  // namespace hardkuma
