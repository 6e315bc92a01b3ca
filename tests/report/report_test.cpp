#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hardkuma/data/tokenizer.h"
#include "hardkuma/eval/evaluation_fields.h"
#include "hardkuma/report/escape.h"
#include "hardkuma/report/explanation.h"
#include "hardkuma/report/page.h"
#include "hardkuma/report/table.h"

namespace hardkuma {
namespace {

// With gates' P(z = 0) and P(z = 1) where they are given.
Explanation sample(const std::vector<float>& p_zero = {}, const std::vector<float>& p_one = {}) {
  Example example;
  example.id = "7";
  example.text = "é <b>bad</b> beer & more";
  example.tokens = tokenize(example.text, Tokenizer::Whitespace);
  example.words.resize(example.tokens.size());
  ExamplePrediction prediction;
  prediction.scores = {0.25f, 0.75f};
  prediction.z = {0.0f, 0.6f, 1.0f, 0.0f, 1.0f};
  prediction.gated = !p_zero.empty();
  prediction.p_zero = prediction.gated ? p_zero : std::vector<float>(5);
  prediction.p_one = prediction.gated ? p_one : std::vector<float>(5);
  TaskInfo task;
  task.labels = {"bad", "good"};
  return explain(example, prediction, task);
}

TEST(Explanation, RunsOfSelectedWordsAreSpans) {
  const Explanation e = sample();
  ASSERT_EQ(e.rationale.size(), 2u);
  EXPECT_EQ(e.rationale[0].in(e.text), "<b>bad</b> beer");
  EXPECT_EQ(e.rationale[0].start, 2);
  EXPECT_EQ(e.rationale[1].in(e.text), "more");
  EXPECT_DOUBLE_EQ(e.selected, 0.6);
  EXPECT_EQ(prediction_text(e), "good (75%)");
}

TEST(Explanation, JsonHasTheDocumentedShape) {
  const auto json = nlohmann::json::parse(to_json_line(sample()));
  EXPECT_EQ(json["id"], "7");
  EXPECT_EQ(json["prediction"]["label"], "good");
  EXPECT_DOUBLE_EQ(json["prediction"]["scores"]["bad"], 0.25);
  EXPECT_EQ(json["rationale"][0]["start"], 2);
  EXPECT_EQ(json["rationale"][0]["end"], 17);
  EXPECT_EQ(json["tokens"].size(), 5u);
  for (const char* key : {"start", "end", "z", "p0", "p1"})
    EXPECT_TRUE(json["tokens"][0].contains(key));
}

TEST(Explanation, JsonSaysWhatGatesExpectAndWouldSelectOneByOne) {
  const auto json = nlohmann::json::parse(to_json_line(
      sample({1.0f, 0.4375f, 0.25f, 0.75f, 0.25f}, {0.0f, 0.3125f, 0.25f, 0.25f, 0.75f})));
  EXPECT_DOUBLE_EQ(json["selected"], 0.6);
  EXPECT_DOUBLE_EQ(json["expected"], 0.4625);
  EXPECT_DOUBLE_EQ(json["argmax"], 0.4);  // 0 is likeliest of the second gate, though below a half
  const auto ungated = nlohmann::json::parse(to_json_line(sample()));
  EXPECT_FALSE(ungated.contains("expected") || ungated.contains("argmax"));
}

TEST(Explanation, HighlightsWithAndWithoutColour) {
  EXPECT_EQ(highlighted(sample(), false), "é [<b>bad</b> beer] & [more]");
  EXPECT_NE(highlighted(sample(), true).find("\x1b["), std::string::npos);
}

TEST(Page, EscapesTheTextAndMarksIt) {
  const std::string card = page_card(sample());
  EXPECT_EQ(card.find("<b>"), std::string::npos);
  EXPECT_NE(card.find("&lt;b&gt;bad&lt;/b&gt;"), std::string::npos);
  EXPECT_NE(card.find("<mark style=\"--z:0.60\">"), std::string::npos);
  EXPECT_NE(card.find("&amp;"), std::string::npos);
  const std::string page = page_open("T<", "s") + card + page_close();
  EXPECT_NE(page.find("<title>T&lt;</title>"), std::string::npos);
  EXPECT_EQ(page.find("://"), std::string::npos);  // names nothing to fetch
  EXPECT_NE(page.find("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'"),
            std::string::npos);  // and could not
}

// A terminal does what escape sequences say, whoever wrote them.
TEST(Explanation, TextsCannotSteerTheTerminal) {
  Explanation steering = sample();
  steering.text[0] = '\x1b';
  EXPECT_EQ(highlighted(steering, false).find('\x1b'), std::string::npos);
  EXPECT_NE(highlighted(steering, false).find("␛"), std::string::npos);
  EXPECT_EQ(text_table({{"\x1b[2J"}}).find('\x1b'), std::string::npos);
}

// XML has no way to write most control characters, U+FFFE and U+FFFF, nor what is no UTF-8.
TEST(Escape, OnlyWhatXmlAllows) {
  EXPECT_EQ(html_escape("a\x01\x1b\x08z"), "a���z");
  EXPECT_EQ(html_escape("\xef\xbf\xbe|\xef\xbf\xbf|\xef\xbf\xbd"), "�|�|�");
  EXPECT_EQ(html_escape("\t\n\r é日🍺"), "\t\n\r é日🍺");
  EXPECT_EQ(html_escape("a\xff<\xc3"), "a�&lt;�");
  EXPECT_EQ(html_escape(std::string_view("\0", 1)), "�");
}

TEST(Table, AlignsByCharactersNotBytes) {
  EXPECT_EQ(text_table({{"a", "bb"}, {"éé", "1"}}), "a   bb\n──────\néé   1\n");
  // A title wider than its cells takes two lines, if that makes the column narrower.
  EXPECT_EQ(text_table({{"", "words shown", "of it"}, {"dev", "9%", "of all"}}),
            "     words\n     shown   of it\n──────────────────\ndev     9%  of all\n");
  EXPECT_EQ(percent(0.1234), "12.3%");
}

TEST(Table, EvaluationsAsTextAndJson) {
  Evaluation e;
  e.examples = 1000;
  e.metric = 0.5;
  e.rationale = {3, 9, 10, 12, 60};
  EXPECT_NE(evaluation_table({{"dev", e}}).find("90.0%"), std::string::npos);
  const nlohmann::ordered_json json = to_json(e);
  EXPECT_DOUBLE_EQ(json["rationale"]["precision"], 0.9);
  EXPECT_DOUBLE_EQ(json["accuracy"], 0.5);
}

}  // namespace
}  // namespace hardkuma
