#include "hardkuma/report/training_report.h"

#include <gtest/gtest.h>

#include "hardkuma/data/tokenizer.h"

namespace hardkuma {
namespace {

Example text_of(const std::string& text, double target) {
  Example out;
  out.text = text;
  out.tokens = tokenize(text, Tokenizer::Whitespace);
  for (size_t i = 0; i < out.tokens.size(); ++i) out.words.push_back(static_cast<int32_t>(i));
  out.target = target;
  return out;
}

// Selects its first word.
ExamplePrediction prediction_of(const Example& example, double good) {
  ExamplePrediction out;
  out.scores = {static_cast<float>(1.0 - good), static_cast<float>(good)};
  out.task_loss = (good - example.target) * (good - example.target);
  for (size_t i = 0; i < example.words.size(); ++i) {
    out.z.push_back(i == 0 ? 1.0f : 0.0f);
    out.p_zero.push_back(i == 0 ? 0.1f : 0.9f);
    out.p_one.push_back(0.05f);
  }
  return out;
}

EpochReport epoch(int64_t number) {
  EpochReport out;
  out.epoch = number;
  out.epochs = 2;
  out.steps = 10 * number;
  out.train_loss = 0.5;
  out.dev.gated = true;
  out.dev.task_loss = 0.4;
  out.dev.selected_micro = 0.2;
  out.trace = {{10 * number - 5, 0.4, 0.3, 1.5}};
  return out;
}

size_t occurrences(const std::string& text, const std::string& what) {
  size_t out = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

TEST(TrainingReport, HoldsEverythingAndFetchesNothing) {
  Config config;
  config.train.epochs = 7;
  config.task.labels = {"bad", "good"};
  const std::vector<Example> set = {text_of("lovely <pour> here", 1.0), text_of("awful taste", 0.0),
                                    text_of("awful and lovely", 1.0)};
  const std::vector<ExamplePrediction> predictions = {
      prediction_of(set[0], 0.9), prediction_of(set[1], 0.2), prediction_of(set[2], 0.3)};
  const std::vector<EpochReport> epochs = {epoch(1), epoch(2)};
  TrainingReport report{"a run", "hardkuma train x.csv --epochs 7", config, {}, epochs, {}, {}, {}};
  report.results = {{"dev", summarise(set, predictions, config.task)}};
  report.profile = selection_profile(set, predictions, config.task, word_counts(set));
  choose_examples(set, predictions, 10, report);
  ASSERT_EQ(report.right.size(), 2u);
  ASSERT_EQ(report.wrong.size(), 1u);
  EXPECT_EQ(report.wrong[0].truth, "good");
  const std::string page = training_page(report);
  EXPECT_EQ(occurrences(page, "<svg"), 5u);  // loss, rate, weight, places, frequencies
  EXPECT_EQ(occurrences(page, "<article>"), 3u);
  for (const char* text : {"decide from 15% of the words", "train.epochs", "labelled good",
                           "hardkuma train x.csv --epochs 7", "<mark>awful</mark>", "Wrong",
                           "<title>first: 100%</title>", "<title>last: 0%</title>"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find("<pour>"), std::string::npos);
  EXPECT_EQ(occurrences(page, "://"), occurrences(page, "http://www.w3.org/2000/svg"));
}

TEST(TrainingReport, OfARegressionShowsSmallErrorsAndTheLargest) {
  Config config;
  config.task.regression = true;
  config.task.high = 10.0;
  std::vector<Example> set;
  std::vector<ExamplePrediction> predictions;
  for (int i = 0; i < 8; ++i) {
    set.push_back(text_of("word " + std::to_string(i), 0.1 * i));
    predictions.push_back(prediction_of(set.back(), 0.4));
    predictions.back().scores = {0.41f};
  }
  const std::vector<EpochReport> epochs;
  TrainingReport report{"r", "", config, {}, epochs, {}, {}, {}};
  choose_examples(set, predictions, 2, report);
  EXPECT_EQ(report.right[0].truth, "3.00");
  EXPECT_EQ(report.right[1].truth, "4.00");
  EXPECT_EQ(report.wrong[0].truth, "0.00");  // the furthest from 4.1
}

TEST(TrainingReport, EveryRowOfItsTableHasTheHeadsCells) {
  Config config;
  config.task.labels = {"a", "b"};
  const std::vector<EpochReport> epochs;
  for (const bool pairs : {false, true}) {
    for (const bool gold : {false, true}) {
      NamedEvaluation with;
      with.evaluation.pairs = pairs;
      with.evaluation.gated = gold;
      NamedEvaluation without = with;
      if (gold) with.evaluation.rationale = {1, 1, 2, 3, 9};
      const TrainingReport report{"m", "", config, {with, without}, epochs, {}, {}, {}};
      const std::string page = training_page(report);
      const size_t from = page.find("<table>");
      const std::string table = page.substr(from, page.find("</table>", from) - from);
      EXPECT_EQ(occurrences(table, "<tr>"), 3u);
      EXPECT_EQ(occurrences(table, "<td>"), 2 * occurrences(table, "<th>"));
    }
  }
}

}  // namespace
}  // namespace hardkuma
