#include "hardkuma/report/writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"
#include "hardkuma/report/csv_writer.h"
#include "hardkuma/report/explanation.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;

Explanation sample(const std::string& id) {
  Explanation out;
  out.id = id;
  out.text = "a \"good\", round beer";
  out.label = "good";
  out.scores = {{"bad", 0.25}, {"good", 0.75}};
  out.selected = 0.5;
  const auto word = [&](int64_t from, int64_t to, float z) {
    out.words.push_back({{from, to, from, to}, z, 1.0f - z, z, false});
    if (z > 0.0f) out.rationale.push_back({from, to, from, to});
  };
  word(0, 1, 0.0f);
  word(3, 7, 1.0f);
  word(10, 15, 0.0f);
  word(16, 20, 1.0f);
  return out;
}

std::string written(const std::string& format, const std::vector<AspectExplanations>& all,
                    const WriterOptions& options = {}) {
  const auto writer = find_format(format).make(options);
  std::string out = writer->open();
  for (const AspectExplanations& one : all) out += writer->text_of(one);
  return out + writer->close();
}

TEST(ExplanationWriter, TextIsALineAText) {
  EXPECT_EQ(written("text", {{sample("1")}}), "good (75%)  a \"[good]\", round [beer]\n");
  EXPECT_NE(written("text", {{sample("1")}}, {.colour = true}).find("\x1b["), std::string::npos);
}

TEST(ExplanationWriter, JsonlIsOneObjectALine) {
  const std::string out = written("jsonl", {{sample("1")}, {sample("2")}});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2);
  EXPECT_EQ(nlohmann::json::parse(out.substr(0, out.find('\n')))["id"], "1");
}

TEST(ExplanationWriter, HtmlIsOnePage) {
  const std::string out = written("html", {{sample("1")}, {sample("2")}}, {.models = {"m.model"}});
  EXPECT_EQ(out.find("<!doctype html>"), 0u);
  EXPECT_NE(out.find("m.model"), std::string::npos);
  EXPECT_EQ(out.rfind("</html>\n"), out.size() - 8);
}

TEST(ExplanationWriter, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(written("csv", {{sample("1")}}),
            "id,aspect,prediction,score,selected,rationale,text,unknown\n"
            "1,,good,0.75,0.5,good … beer,\"a \"\"good\"\", round beer\",\n");
  Explanation value = sample("2");
  value.label = "";
  value.scores.clear();
  value.value = 0.62;
  EXPECT_NE(written("csv", {{value}}).find("\n2,,0.62,,0.5,"), std::string::npos);
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(ExplanationWriter, SeveralModelsShareAText) {
  Explanation look = sample("1");
  Explanation smell = sample("1");
  look.aspect = "look";
  smell.aspect = "smell";
  for (const char* format : {"text", "jsonl", "html", "csv"}) {
    const std::string out = written(format, {{look, smell}});
    EXPECT_NE(out.find("look"), std::string::npos) << format;
    EXPECT_NE(out.find("smell"), std::string::npos) << format;
  }
}

TEST(ExplanationWriter, SvgShowsOnePairWithLinks) {
  EXPECT_NE(message_of<UsageError>([] { find_format("svg").make({}); }).find("this model has none"),
            std::string::npos);
  Explanation pair = sample("1");
  pair.alignment = Alignment{};
  pair.alignment->second = pair;
  pair.alignment->z.assign(25, 0.5f);
  pair.alignment->p_zero.assign(25, 0.5f);
  pair.alignment->p_one.assign(25, 0.5f);
  const auto writer = find_format("svg").make({.links = true});
  EXPECT_NE(writer->text_of({pair}).find("<svg"), std::string::npos);
  EXPECT_THROW(writer->text_of({pair}), InputError);
}

TEST(ExplanationWriter, UnknownFormatsAreSuggested) {
  EXPECT_NE(message_of<UsageError>([] { find_format("jsno"); }).find("there are: text, jsonl"),
            std::string::npos);
}

TEST(ExplanationWriter, AbstainsBelowAConfidence) {
  Explanation e = sample("1");
  abstain_below(e, 0.75);
  EXPECT_EQ(e.label, "good");
  abstain_below(e, 0.8);
  EXPECT_EQ(e.label, "");
  EXPECT_EQ(written("text", {{e}}).find("no answer: good has 75.0%, less than 80%"), 0u);
  const auto json = nlohmann::json::parse(written("jsonl", {{e}}));
  EXPECT_TRUE(json["prediction"]["label"].is_null());
  EXPECT_EQ(json["prediction"]["abstained"], "good has 75.0%, less than 80%");
  EXPECT_EQ(json["prediction"]["scores"]["good"], 0.75);
}

TEST(ExplanationWriter, MarksUnknownWordsInEveryFormat) {
  Explanation e = sample("1");
  e.words[1].unknown = true;
  EXPECT_NE(written("text", {{e}}).find("(unknown: good)"), std::string::npos);
  const auto json = nlohmann::json::parse(written("jsonl", {{e}}));
  EXPECT_EQ(json["tokens"][1]["unknown"], true);
  EXPECT_FALSE(json["tokens"][0].contains("unknown"));
  EXPECT_NE(written("html", {{e}}).find("title=\"unknown word\""), std::string::npos);
  const std::string csv = written("csv", {{e}});
  EXPECT_EQ(csv.substr(csv.size() - 6), ",good\n");
}

}  // namespace
}  // namespace hardkuma
