#include "hardkuma/report/alignment.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hardkuma/data/tokenizer.h"
#include "hardkuma/report/page.h"

namespace hardkuma {
namespace {

// "big <man>" and "a mäñ", one link between the last words, one from NULL to "a".
Explanation explained() {
  Example example;
  example.id = "p1";
  example.is_pair = true;
  example.has_gold = true;
  example.text = "big <man>";
  example.tokens = tokenize(example.text, Tokenizer::Whitespace);
  example.words = {2, 3};
  example.gold = {1, 1};
  example.second.text = "a mäñ";
  example.second.tokens = tokenize(example.second.text, Tokenizer::Whitespace);
  example.second.words = {4, 5};
  example.second.gold = {0, 1};
  ExamplePrediction prediction;
  prediction.scores = {0.25f, 0.75f};
  prediction.z = {0, 0.5f, 0, 0, 0, 0, 0, 0, 0.876f};
  prediction.p_zero = {1, 0.25f, 1, 1, 1, 1, 1, 1, 0.125f};
  prediction.p_one = {0, 0.25f, 0, 0, 0, 0, 0, 0, 0.5f};
  return explain(example, prediction, {false, {"no", "yes"}, 0.0, 1.0});
}

TEST(Alignment, WordsTakePartInLinksWithWords) {
  const Explanation e = explained();
  EXPECT_NEAR(e.selected, 2.0 / 9.0, 1e-9);
  EXPECT_EQ(highlighted(e, false), "big [<man>]");
  EXPECT_EQ(highlighted(e.alignment->second, false), "a [mäñ]");  // "a" is linked to NULL alone
  EXPECT_EQ(links_text(e, 5), "<man>–mäñ 0.88");
  EXPECT_EQ(prediction_text(e), "yes (75%)");
}

TEST(Alignment, JsonHasLinksWithOffsetsAndAllCells) {
  const auto json = nlohmann::json::parse(to_json_line(explained()));
  EXPECT_EQ(json["first"], "big <man>");
  EXPECT_EQ(json["second"], "a mäñ");
  EXPECT_EQ(json["prediction"]["label"], "yes");
  ASSERT_EQ(json["links"].size(), 2u);
  EXPECT_TRUE(json["links"][0]["first"].is_null());
  EXPECT_EQ(json["links"][0]["second"]["text"], "a");
  EXPECT_EQ(json["links"][1]["first"]["start"], 4);
  EXPECT_EQ(json["links"][1]["second"]["end"], 5);
  EXPECT_NEAR(json["links"][1]["z"].get<double>(), 0.876, 1e-6);
  EXPECT_EQ(json["cells"]["rows"], nlohmann::json({nullptr, "big", "<man>"}));
  EXPECT_EQ(json["cells"]["z"].size(), 3u);
  EXPECT_NEAR(json["cells"]["p0"][2][2].get<double>(), 0.125, 1e-6);
  EXPECT_NEAR(json["cells"]["p1"][0][1].get<double>(), 0.25, 1e-6);
  EXPECT_EQ(json["rationale"]["first"][0]["text"], "<man>");
  EXPECT_FALSE(json.contains("tokens"));
}

TEST(Alignment, TheHeatMapShowsHundredthsAndLeavesZerosBlank) {
  const std::string svg = heat_map(explained());
  EXPECT_NE(svg.find(">88</text>"), std::string::npos);
  EXPECT_NE(svg.find(">50</text>"), std::string::npos);
  EXPECT_EQ(svg.find(">0</text>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;man&gt;"), std::string::npos);
  EXPECT_EQ(svg.find("<man>"), std::string::npos);
  size_t cells = 0;
  for (size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1)) {
    ++cells;
  }
  EXPECT_EQ(cells, 9u);
  const std::string card = page_card(explained());
  EXPECT_NE(card.find("22% of the cells"), std::string::npos);
  EXPECT_NE(card.find("<svg"), std::string::npos);
}

TEST(Alignment, GoldWordsAreComparedWithLinkedOnes) {
  Example example;
  example.is_pair = true;
  example.has_gold = true;
  example.words = {2, 3};
  example.gold = {1, 1};
  example.second.words = {4, 5};
  example.second.gold = {0, 1};
  ExamplePrediction prediction;
  prediction.scores = {0.0f, 1.0f};
  prediction.z = {0, 0.5f, 0, 0, 0, 0, 0, 0.2f, 0.9f};
  const Evaluation e = summarise({example}, {prediction}, {false, {"no", "yes"}, 0.0, 1.0});
  EXPECT_TRUE(e.pairs);
  EXPECT_EQ(e.units, 9);
  EXPECT_NEAR(e.selected_micro, 3.0 / 9.0, 1e-9);
  EXPECT_EQ(e.rationale.words, 4);
  EXPECT_EQ(e.rationale.selected, 3);  // the second word of the first text, both of the second
  EXPECT_EQ(e.rationale.gold, 3);
  EXPECT_EQ(e.rationale.hits, 2);
}

}  // namespace
}  // namespace hardkuma
