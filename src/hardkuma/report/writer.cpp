#include "hardkuma/report/writer.h"

#include <fmt/ranges.h>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/report/alignment.h"
#include "hardkuma/report/csv_writer.h"
#include "hardkuma/report/page.h"

namespace hardkuma {
namespace {

constexpr size_t kLinksShown = 8;
constexpr int64_t kUnknownShown = 60;

class TextWriter final : public ExplanationWriter {
 public:
  explicit TextWriter(const WriterOptions& options)
      : colour_(options.colour), columns_(options.columns) {}

  std::string text_of(const AspectExplanations& all) override {
    const std::string text = unwrapped(all);
    return columns_ > 0 ? wrapped(text, columns_) : text;
  }

 private:
  std::string unwrapped(const AspectExplanations& all) const {
    if (all.size() > 1) {
      return prediction_text(all, colour_) + "\n  " + highlighted(all, colour_) + "\n";
    }
    const Explanation& one = all[0];
    const std::string prediction =
        colour_ ? "\x1b[1m" + prediction_text(one) + "\x1b[0m" : prediction_text(one);
    const std::string first = highlighted(one, colour_);
    const std::string none = one.selected == 0.0 ? "  " + shown_text(one) : "";
    const std::string unknown = unknown_words(one);
    const std::string note =
        unknown.empty() ? "" : "  (unknown: " + quotable(unknown, kUnknownShown) + ")";
    if (!one.alignment) return fmt::format("{}{}  {}{}\n", prediction, none, first, note);
    return fmt::format("{}{}\n  {}\n  {}\n  {}\n", prediction, none, first,
                       highlighted(one.alignment->second, colour_), links_text(one, kLinksShown));
  }

  bool colour_;
  int64_t columns_;
};

class JsonlWriter final : public ExplanationWriter {
 public:
  std::string text_of(const AspectExplanations& all) override {
    return (all.size() == 1 ? to_json_line(all[0]) : to_json_line(all)) + "\n";
  }
};

class HtmlWriter final : public ExplanationWriter {
 public:
  explicit HtmlWriter(WriterOptions options) : options_(std::move(options)) {}

  std::string open() override {
    return page_open(
        "Explained texts",
        fmt::format("by the model{} {}; highlighted: {}", options_.models.size() > 1 ? "s" : "",
                    fmt::join(options_.models, ", "),
                    options_.pairs ? "words that are linked" : "what the decision was made from"));
  }
  std::string text_of(const AspectExplanations& all) override {
    return all.size() == 1 ? page_card(all[0]) : page_card(all);
  }
  std::string close() override { return page_close(); }

 private:
  WriterOptions options_;
};

class SvgWriter final : public ExplanationWriter {
 public:
  std::string text_of(const AspectExplanations& all) override {
    if (written_) throw InputError("an SVG shows one pair; show several with --format html");
    written_ = true;
    return heat_map(all[0]);
  }

 private:
  bool written_ = false;
};

std::unique_ptr<ExplanationWriter> make_text(const WriterOptions& options) {
  return std::make_unique<TextWriter>(options);
}

std::unique_ptr<ExplanationWriter> make_jsonl(const WriterOptions&) {
  return std::make_unique<JsonlWriter>();
}

std::unique_ptr<ExplanationWriter> make_html(const WriterOptions& options) {
  return std::make_unique<HtmlWriter>(options);
}

std::unique_ptr<ExplanationWriter> make_svg(const WriterOptions& options) {
  if (!options.links) {
    throw UsageError("--format svg shows the links of a pair; this model has none");
  }
  return std::make_unique<SvgWriter>();
}

}  // namespace

const std::vector<ExplanationFormat>& explanation_formats() {
  static const std::vector<ExplanationFormat> table = {
      {"text", "for reading, in colour on a terminal", make_text},
      {"jsonl", "a line of JSON a text", make_jsonl},
      {"html", "a page", make_html},
      {"csv", "a row a text", make_csv_writer},
      {"svg", "the links of one pair", make_svg},
  };
  return table;
}

const ExplanationFormat& find_format(const std::string& name) {
  std::vector<std::string> names;
  for (const ExplanationFormat& format : explanation_formats()) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  throw UsageError("unknown format \"{}\"{}; there are: {}", name, did_you_mean(name, names),
                   fmt::join(names, ", "));
}

}  // namespace hardkuma
