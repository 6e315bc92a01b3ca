#include "hardkuma/report/csv_writer.h"

#include <fmt/format.h>

#include "hardkuma/report/explanation.h"

namespace hardkuma {
namespace {

std::string words_of(const ExplainedText& explained) {
  std::string out;
  for (const Token& run : explained.rationale) {
    out += (out.empty() ? "" : " … ") + std::string(run.in(explained.text));
  }
  return out;
}

class CsvWriter final : public ExplanationWriter {
 public:
  explicit CsvWriter(bool pairs) : pairs_(pairs) {}

  std::string open() override {
    return std::string("id,aspect,prediction,score,selected,rationale,text") +
           (pairs_ ? ",second" : "") + ",unknown\n";
  }

  std::string text_of(const AspectExplanations& all) override {
    std::string out;
    for (const Explanation& e : all) out += row(e);
    return out;
  }

 private:
  std::string row(const Explanation& e) const {
    std::string score;
    for (const auto& [label, p] : e.scores) {
      if (label == e.label) score = fmt::format("{:.6g}", p);
    }
    const bool classifies = !e.scores.empty();
    std::string rationale = words_of(e);
    if (e.alignment) {
      const std::string second = words_of(e.alignment->second);
      rationale += rationale.empty() || second.empty() ? second : " … " + second;
    }
    std::string out = fmt::format("{},{},{},{},{:.6g},{},{}", csv_field(e.id), csv_field(e.aspect),
                                  classifies ? csv_field(e.label) : fmt::format("{:.6g}", e.value),
                                  score, e.selected, csv_field(rationale), csv_field(e.text));
    if (pairs_) out += "," + csv_field(e.alignment ? e.alignment->second.text : "");
    return out + "," + csv_field(unknown_words(e)) + "\n";
  }

  bool pairs_;
};

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::unique_ptr<ExplanationWriter> make_csv_writer(const WriterOptions& options) {
  return std::make_unique<CsvWriter>(options.pairs);
}

}  // namespace hardkuma
