#include "hardkuma/report/aspect_explanations.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hardkuma/data/tokenizer.h"

namespace hardkuma {
namespace {

Explanation of(const std::string& aspect, std::vector<float> z) {
  Example example;
  example.id = "7";
  example.text = "dark <b> and thick";
  example.tokens = tokenize(example.text, Tokenizer::Whitespace);
  ExamplePrediction prediction;
  prediction.scores = {0.5f};
  prediction.p_zero = prediction.p_one = {0, 0, 0, 0};
  prediction.z = std::move(z);
  TaskInfo task;
  task.regression = true;
  Explanation out = explain(example, prediction, task);
  out.aspect = aspect;
  return out;
}

AspectExplanations two_aspects() {
  return {of("look", {1, 1, 0, 0}), of("smell", {0, 1, 0, 1})};
}

TEST(AspectExplanations, MarkEachAspectsWordsAndTheSharedOnes) {
  EXPECT_EQ(highlighted(two_aspects(), false), "[look: dark ][look+smell: <b>] and [smell: thick]");
  const std::string coloured = highlighted(two_aspects(), true);
  EXPECT_NE(coloured.find("\x1b[30;43mdark "), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[30;43;4m<b>"), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[30;46mthick"), std::string::npos);
  EXPECT_EQ(prediction_text(two_aspects(), false), "look 0.5 · smell 0.5");
}

TEST(AspectExplanations, JsonHasAnEntryPerAspect) {
  const auto json = nlohmann::json::parse(to_json_line(two_aspects()));
  EXPECT_EQ(json["text"], "dark <b> and thick");
  EXPECT_EQ(json["aspects"]["look"]["rationale"][0]["text"], "dark <b>");
  EXPECT_EQ(json["aspects"]["smell"]["rationale"].size(), 2u);
  EXPECT_FALSE(json["aspects"]["smell"].contains("text"));
}

TEST(AspectExplanations, ThePageEscapesAndLayersColours) {
  const std::string card = page_card(two_aspects());
  EXPECT_NE(card.find("&lt;b&gt;"), std::string::npos);
  EXPECT_EQ(card.find("<b>"), std::string::npos);
  EXPECT_NE(card.find("linear-gradient"), std::string::npos);
  EXPECT_NE(card.find("var(--aspect1)"), std::string::npos);
}

TEST(Explanation, NamesItsAspectAndSeveralValues) {
  const Explanation one = of("look", {1, 0, 0, 0});
  EXPECT_EQ(prediction_text(one), "look: 0.5");
  EXPECT_EQ(nlohmann::json::parse(to_json_line(one))["aspect"], "look");
  EXPECT_FALSE(nlohmann::json::parse(to_json_line(of("", {1, 0, 0, 0}))).contains("aspect"));
  Example example;
  example.text = "a";
  example.tokens = tokenize(example.text, Tokenizer::Whitespace);
  ExamplePrediction prediction;
  prediction.scores = {0.25f, 0.75f};
  prediction.z = prediction.p_zero = prediction.p_one = {1};
  const Explanation both = explain(example, prediction, {true, {"look", "smell"}, 0.0, 1.0});
  EXPECT_EQ(prediction_text(both), "look 0.25, smell 0.75");
  EXPECT_EQ(nlohmann::json::parse(to_json_line(both))["prediction"]["values"]["smell"], 0.75);
}

}  // namespace
}  // namespace hardkuma
