#include "hardkuma/train/alarm.h"

#include <gtest/gtest.h>

#include <functional>

#include "hardkuma/data/tokenizer.h"

namespace hardkuma {
namespace {

// Texts of different lengths, a full stop after every third word; z by (text, place, word).
Degeneration found(const std::function<bool(int, int, const std::string&)>& select) {
  std::vector<Example> set;
  std::vector<ExamplePrediction> predictions;
  for (int i = 0; i < 40; ++i) {
    Example example;
    for (int t = 0; t < 20 + i % 7; ++t) {
      append_word(example.text, example.tokens, t % 3 == 2 ? "." : "word" + std::to_string(t));
      example.words.push_back(1);
    }
    ExamplePrediction prediction;
    for (size_t t = 0; t < example.tokens.size(); ++t) {
      const std::string word(example.tokens[t].in(example.text));
      prediction.z.push_back(select(i, static_cast<int>(t), word) ? 1.0f : 0.0f);
    }
    set.push_back(std::move(example));
    predictions.push_back(std::move(prediction));
  }
  return degeneration(set, predictions);
}

TEST(Degeneration, IsNoticed) {
  EXPECT_EQ(found([](int, int, auto&) { return false; }), Degeneration::Nothing);
  EXPECT_EQ(found([](int, int, auto&) { return true; }), Degeneration::Everything);
  EXPECT_EQ(found([](int i, int t, auto& w) { return w == "." && (t + i) % 4 < 2; }),
            Degeneration::Punctuation);
  EXPECT_EQ(found([](int, int t, auto&) { return t == 4; }), Degeneration::Places);
  EXPECT_EQ(found([](int, int t, auto&) { return t < 2; }), Degeneration::Places);
  EXPECT_EQ(found([](int i, int t, auto&) { return t == 19 + i % 7; }), Degeneration::Places);
  EXPECT_EQ(found([](int i, int t, auto&) { return t == 0 || (t == 1 && i % 5 < 2); }),
            Degeneration::Places);
}

TEST(Degeneration, AnOrdinarySelectionIsNone) {
  EXPECT_EQ(found([](int i, int t, auto&) { return (t * 7 + i * 5) % 11 < 2; }),
            Degeneration::None);
  // Mostly near the start, as opinions about looks are.
  EXPECT_EQ(found([](int i, int t, auto&) { return t >= i % 5 && t < i % 5 + 3; }),
            Degeneration::None);
}

// What a threshold selects of gates that are all shut, or all open, is no selection.
TEST(Degeneration, IsNoticedBehindAThreshold) {
  for (const double p_zero : {0.9999, 0.3, 0.0001}) {
    Example example;
    ExamplePrediction prediction;
    prediction.gated = true;
    for (int t = 0; t < 30; ++t) {
      append_word(example.text, example.tokens, "word");
      example.words.push_back(1);
      prediction.z.push_back(t % 3 == 0 ? 1.0f : 0.0f);
      prediction.p_zero.push_back(static_cast<float>(p_zero));
    }
    EXPECT_EQ(degeneration({example}, {prediction}), p_zero > 0.9   ? Degeneration::Nothing
                                                     : p_zero > 0.1 ? Degeneration::None
                                                                    : Degeneration::Everything);
  }
}

TEST(Advice, NamesTheSettingToChange) {
  Config config;
  EXPECT_EQ(advice(Degeneration::None, config), "");
  EXPECT_NE(advice(Degeneration::Nothing, config).find("controller.warmup"), std::string::npos);
  EXPECT_NE(advice(Degeneration::Everything, config).find("controller.rho"), std::string::npos);
  EXPECT_NE(advice(Degeneration::Punctuation, config).find("--seed"), std::string::npos);
  config.controller.name = ControllerKind::Paper;
  EXPECT_NE(advice(Degeneration::Nothing, config).find("--controller default"), std::string::npos);
  config.controller.name = ControllerKind::Fixed;
  EXPECT_NE(advice(Degeneration::Nothing, config).find("lower controller.lambda"),
            std::string::npos);
  EXPECT_NE(advice(Degeneration::Everything, config).find("raise controller.lambda"),
            std::string::npos);
  config.model.kind = ModelKind::Bernoulli;
  EXPECT_NE(advice(Degeneration::Nothing, config).find("lower controller.word_cost"),
            std::string::npos);
  config.model.kind = ModelKind::Attention;
  EXPECT_EQ(advice(Degeneration::Punctuation, config).find("controller"), std::string::npos);
  config.objective.target = 1.0;
  EXPECT_EQ(advice(Degeneration::Everything, config), "");
}

}  // namespace
}  // namespace hardkuma
