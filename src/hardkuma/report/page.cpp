#include "hardkuma/report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "hardkuma/common/text.h"
#include "hardkuma/report/alignment.h"

namespace hardkuma {
namespace {

constexpr const char* kStyle = R"CSS(
:root { color-scheme: light dark; --ink: #1d1d1f; --soft: #6b6b70; --paper: #fbfaf7; --card: #fff;
  --line: #e5e2da; --mark: 255, 196, 0; --gold: #2f7d4f; --aspect0: #ffd54a; --aspect1: #8fd3f4;
  --aspect2: #f5a8d0; --aspect3: #b5e48c; --aspect4: #c7b8ff; --aspect5: #ffb38a; }
@media (prefers-color-scheme: dark) { :root { --ink: #ecebe7; --soft: #9c9a94; --paper: #18181a;
  --card: #222225; --line: #37373b; --mark: 214, 158, 0; --gold: #6fce97; --aspect0: #8a6a00;
  --aspect1: #1d6487; --aspect2: #8a2f61; --aspect3: #3f6e1c; --aspect4: #53429a; --aspect5: #8f4a1d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 17px/1.65 Georgia, "Liberation Serif", serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
.sub { color: var(--soft); margin: 0 0 1.5rem; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 1rem 1.2rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
article header { display: flex; flex-wrap: wrap; gap: .25rem .9rem; align-items: baseline;
  font: 14px/1.4 system-ui, sans-serif; color: var(--soft); margin-bottom: .35rem; }
article header strong { color: var(--ink); font-size: 15px; }
article p { margin: 0; white-space: pre-wrap; }
mark { background: rgba(var(--mark), var(--z, 1)); color: inherit; border-radius: 3px;
  padding: .1em .12em; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
u { text-decoration: underline; text-decoration-color: var(--gold); text-decoration-thickness: 2px;
  text-underline-offset: 4px; }
.chip { border-radius: 3px; padding: .1em .45em; color: var(--ink); }
.key { font: 14px/1.4 system-ui, sans-serif; color: var(--soft); }
table { border-collapse: collapse; font: 14px/1.5 system-ui, sans-serif; width: 100%; }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
.scroll { overflow-x: auto; }
svg { max-width: 100%; height: auto; }
.chart svg { width: 100%; }
)CSS";

// Words that follow each other under one marking are one element, spaces included.
struct Piece {
  size_t begin = 0;
  size_t end = 0;
  int strength = 0;  // z in twentieths; 0: not selected
  bool gold = false;
};

std::vector<Piece> pieces(const ExplainedText& e) {
  std::vector<Piece> out;
  for (const ExplainedText::Word& word : e.words) {
    const int strength =
        word.z > 0.0f ? std::clamp(static_cast<int>(word.z * 20.0f + 0.5f), 5, 20) : 0;
    if (strength == 0 && !word.gold) continue;
    const auto begin = static_cast<size_t>(word.token.byte_start);
    const auto end = static_cast<size_t>(word.token.byte_end);
    const bool joins = !out.empty() && out.back().strength == strength &&
                       out.back().gold == word.gold &&
                       e.text.find_first_not_of(" ", out.back().end) == begin;
    if (joins) {
      out.back().end = end;
    } else {
      out.push_back({begin, end, strength, word.gold});
    }
  }
  return out;
}

std::string marked_text(const ExplainedText& e) {
  std::string out;
  size_t at = 0;
  const std::string_view text = e.text;
  for (const Piece& piece : pieces(e)) {
    out += html_escape(text.substr(at, piece.begin - at));
    std::string inner = html_escape(text.substr(piece.begin, piece.end - piece.begin));
    if (piece.gold) inner = "<u>" + inner + "</u>";
    if (piece.strength > 0) {
      inner = fmt::format("<mark style=\"--z:{:.2f}\">{}</mark>", piece.strength / 20.0, inner);
    }
    out += inner;
    at = piece.end;
  }
  return out + html_escape(text.substr(at));
}

std::string html_table(const std::vector<NamedEvaluation>& results) {
  std::string out = "<div class=\"scroll\"><table><tr><th></th><th>examples</th><th>";
  const bool regression = !results.empty() && results[0].evaluation.regression;
  const bool pairs = !results.empty() && results[0].evaluation.pairs;
  out += regression ? "MSE" : "accuracy";
  out += fmt::format(
      "</th><th>95% interval</th><th>{}</th><th>{}</th><th>expected</th><th>by argmax</th>"
      "<th>{}</th><th>precision</th><th>recall</th><th>F1</th></tr>\n",
      pairs ? "open cells" : "selected (words)", pairs ? "(pairs)" : "(texts)",
      pairs ? "words linked" : "selected there");
  for (const auto& [name, e] : results) {
    const auto value = [&](double v) { return regression ? fmt::format("{:.4g}", v) : percent(v); };
    const bool gold = e.rationale.examples > 0;
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{} – "
        "{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        html_escape(name), with_commas(e.examples), value(e.metric), value(e.metric_low),
        value(e.metric_high), percent(e.selected_micro), percent(e.selected_macro),
        e.gated ? percent(e.expected) : "–", e.gated ? percent(e.likeliest) : "–",
        gold ? percent(e.rationale.selected_share()) : "–",
        gold ? percent(e.rationale.precision()) : "–", gold ? percent(e.rationale.recall()) : "–",
        gold ? percent(e.rationale.f1()) : "–");
  }
  return out + "</table></div>\n";
}

}  // namespace

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string page_open(const std::string& title, const std::string& subtitle) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n"
      "<p class=\"sub\">{2}</p>\n",
      html_escape(title), kStyle, html_escape(subtitle));
}

std::string page_card(const Explanation& e) {
  std::string body = "<p>" + marked_text(e) + "</p>";
  if (e.alignment) {
    body += "<p>" + marked_text(e.alignment->second) + "</p>";
    if (!e.alignment->z.empty()) body += heat_map(e);
  }
  return fmt::format(
      "<article><header><strong>{}</strong><span>{} of the {}</span><span>{}</span></header>"
      "{}</article>\n",
      html_escape(prediction_text(e)), percent(e.selected, 0), e.alignment ? "cells" : "words",
      html_escape(e.id), body);
}

std::string page_close() {
  return "</main>\n</body>\n</html>\n";
}

std::string rate_chart(const std::vector<EpochReport>& epochs, double target) {
  constexpr double kWidth = 640.0;
  constexpr double kHeight = 220.0;
  constexpr double kLeft = 44.0;
  constexpr double kBottom = 28.0;
  const auto count = static_cast<double>(std::max<size_t>(2, epochs.size()));
  const auto x = [&](double i) { return kLeft + (kWidth - kLeft - 10.0) * i / (count - 1.0); };
  const auto y = [&](double share) { return 10.0 + (kHeight - kBottom - 10.0) * (1.0 - share); };
  const auto line = [&](auto&& value, const char* style) {
    std::string points;
    for (size_t i = 0; i < epochs.size(); ++i) {
      points += fmt::format("{:.1f},{:.1f} ", x(static_cast<double>(i)), y(value(epochs[i])));
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", points, style);
  };
  std::string out = fmt::format(
      "<div class=\"chart\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Selected share "
      "over the epochs\" "
      "font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"currentColor\">\n",
      kWidth, kHeight);
  for (const double tick : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"currentColor\" "
        "stroke-opacity=\".12\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.0f}%</text>\n",
        kLeft, kWidth - 10.0, y(tick), kLeft - 6.0, y(tick) + 4.0, 100.0 * tick);
  }
  out += fmt::format(
      "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#2f7d4f\" "
      "stroke-dasharray=\"5 4\"/>\n",
      kLeft, kWidth - 10.0, y(target));
  out += line([](const EpochReport& r) { return r.goal; },
              "stroke=\"currentColor\" stroke-opacity=\".35\" stroke-width=\"1.5\"");
  out += line([](const EpochReport& r) { return r.dev.selected_macro; },
              "stroke=\"#d08700\" stroke-width=\"2.5\"");
  out += fmt::format(
      "<text x=\"{}\" y=\"{}\">epoch 1</text><text x=\"{}\" y=\"{}\" "
      "text-anchor=\"end\">epoch {}</text>\n</svg></div>\n",
      kLeft, kHeight - 8.0, kWidth - 10.0, kHeight - 8.0, epochs.size());
  return out +
         "<p class=\"key\">orange: selected on the dev part · grey: the controller's goal · "
         "green: the target</p>\n";
}

std::string training_report(const std::string& title, const std::vector<NamedEvaluation>& results,
                            const std::vector<EpochReport>& epochs, double target,
                            const std::vector<Explanation>& examples) {
  const bool pairs = !results.empty() && results[0].evaluation.pairs;
  std::string out = page_open(
      title,
      fmt::format("Trained to decide from {} of the {}.", percent(target, 0),
                  pairs ? "cells between the words of two texts" : "words, on average over texts"));
  out += "<h2>Results</h2>\n" + html_table(results);
  if (!epochs.empty()) {
    out += "<h2>Selected share, epoch by epoch</h2>\n" + rate_chart(epochs, target);
  }
  out += fmt::format(
      "<h2>Examples</h2>\n<p class=\"key\">highlighted: {} · underlined: the annotated "
      "evidence, where there is any</p>\n",
      pairs ? "words that are linked" : "what the decision was made from");
  for (const Explanation& example : examples) out += page_card(example);
  return out + page_close();
}

}  // namespace hardkuma
