#include "hardkuma/report/explainer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "hardkuma/common/error.h"
#include "hardkuma/train/demo.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/training_run.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

// A small model, trained once.
class ExplainerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TempDirectory;
    Config config;
    config.model.hidden = 8;
    config.model.embedding = 8;
    config.train.epochs = 6;
    config.train.workers = 1;
    const auto data =
        std::make_shared<Prepared>(prepare(tasting_dataset({"look", 100, 1}), config));
    TrainingRun::create(path(), config, data).train();
    for (size_t i = 0; i < 40; ++i) texts_.push_back(data->split("test")[i].text);
  }
  static void TearDownTestSuite() { delete directory_; }
  static std::filesystem::path path() { return directory_->path() / "look"; }

  static std::vector<RawExample> records() {
    std::vector<RawExample> out(texts_.size());
    for (size_t i = 0; i < out.size(); ++i) out[i].text = texts_[i];
    return out;
  }

  static TempDirectory* directory_;
  static std::vector<std::string> texts_;
};

TempDirectory* ExplainerTest::directory_ = nullptr;
std::vector<std::string> ExplainerTest::texts_;

TEST_F(ExplainerTest, OneByOneIsAsManyAtOnce) {
  Explainer explainer(path(), 2);
  const std::vector<Explanation> many = explainer.explain(records(), "test");
  ASSERT_EQ(many.size(), texts_.size());
  for (size_t i = 0; i < texts_.size(); ++i) {
    const Explanation one = explainer.explain(texts_[i]);
    EXPECT_EQ(one.label, many[i].label);
    EXPECT_EQ(one.selected, many[i].selected);
    EXPECT_NEAR(one.scores[0].second, many[i].scores[0].second, 1e-5);
    ASSERT_EQ(one.rationale.size(), many[i].rationale.size());
    for (size_t r = 0; r < one.rationale.size(); ++r) {
      EXPECT_EQ(one.rationale[r].start, many[i].rationale[r].start);
    }
  }
}

// Also while the words that are remembered change, and many texts are explained beside.
TEST_F(ExplainerTest, SeveralThreadsGetWhatOneGets) {
  Explainer explainer(path(), 2);
  std::vector<Explanation> expected;
  for (const std::string& text : texts_) expected.push_back(explainer.explain(text));
  Explainer fresh(path(), 2);
  std::vector<std::thread> threads;
  std::vector<std::vector<Explanation>> found(6);
  for (size_t t = 0; t < found.size(); ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < texts_.size(); ++i) {
        if (t == 5) fresh.explain(records(), "test");
        const size_t which = (i + 7 * t) % texts_.size();
        found[t].push_back(fresh.explain(texts_[which]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < found.size(); ++t) {
    for (size_t i = 0; i < texts_.size(); ++i) {
      // Which words were computed together may change the last bit.
      const Explanation& a = found[t][i];
      const Explanation& b = expected[(i + 7 * t) % texts_.size()];
      EXPECT_EQ(a.text, b.text);
      EXPECT_EQ(a.label, b.label);
      ASSERT_EQ(a.words.size(), b.words.size());
      for (size_t w = 0; w < a.words.size(); ++w) {
        EXPECT_NEAR(a.words[w].p_zero, b.words[w].p_zero, 1e-5);
      }
      for (size_t k = 0; k < a.scores.size(); ++k) {
        EXPECT_NEAR(a.scores[k].second, b.scores[k].second, 1e-4);
      }
    }
  }
}

TEST_F(ExplainerTest, ATextWithoutWordsHasAPredictionAndNoRationale) {
  Explainer explainer(path(), 1);
  for (const char* text : {"", "   "}) {
    const Explanation e = explainer.explain(text);
    EXPECT_FALSE(e.label.empty());
    EXPECT_TRUE(e.rationale.empty());
    EXPECT_EQ(e.selected, 0.0);
  }
}

TEST_F(ExplainerTest, ABudgetIsKeptToAWord) {
  Explainer explainer(path(), 1);
  explainer.set_choice({Decision::Binary, 0.0, 0.25, 0});
  for (const std::string& text : texts_) {
    const Explanation e = explainer.explain(text);
    const auto words = static_cast<double>(e.words.size());
    EXPECT_NEAR(e.selected * words, 0.25 * words, 1.0);
  }
}

TEST_F(ExplainerTest, WhatTheModelCannotReadIsSaid) {
  Explainer explainer(path(), 1);
  EXPECT_NE(message_of<InputError>([&] {
              explainer.explain("a", "b");
            }).find("the model reads single texts"),
            std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { explainer.explain("caf\xe9"); }).find("broken UTF-8"),
            std::string::npos);
}

}  // namespace
}  // namespace hardkuma
