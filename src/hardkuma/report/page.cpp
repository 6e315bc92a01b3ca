#include "hardkuma/report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "hardkuma/common/text.h"
#include "hardkuma/report/alignment.h"
#include "hardkuma/report/escape.h"
#include "hardkuma/report/table.h"

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
.unknown { font-style: normal; border-bottom: 2px dotted currentColor; }
mark { background: rgba(var(--mark), var(--z, 1)); color: inherit; border-radius: 3px;
  padding: .1em .12em; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
u { text-decoration: underline; text-decoration-color: var(--gold); text-decoration-thickness: 2px;
  text-underline-offset: 4px; }
.chip { border-radius: 3px; padding: .1em .45em; color: var(--ink); }
.key { font: 14px/1.4 system-ui, sans-serif; color: var(--soft); }
table { border-collapse: collapse; font: 14px/1.5 system-ui, sans-serif; width: 100%; }
td { white-space: nowrap; }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
.scroll { overflow-x: auto; width: max-content; min-width: 100%; max-width: min(70rem, 100vw - 2rem);
  margin: 1rem 0 1rem 50%; transform: translateX(-50%); }
td.key, table.settings td { text-align: left; vertical-align: top; white-space: normal; }
svg { max-width: 100%; height: auto; }
h3 { font-size: 1rem; margin: 1.4rem 0 .5rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; margin: 1rem 0; }
.chart-box { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .7rem; max-width: 34rem; margin: 0; }
.chart-box svg { width: 100%; display: block; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 0 1.5rem; }
.columns ol { padding-left: 1.3rem; margin: 0 0 1.2rem; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .8rem 1rem;
  overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
code { font: 13px/1.5 ui-monospace, monospace; }
summary { cursor: pointer; margin: .6rem 0; }
)CSS";

// Adjacent words with the same marking are one element, including the spaces between.
struct Piece {
  size_t begin = 0;
  size_t end = 0;
  int strength = 0;  // z in twentieths; 0: not selected
  bool gold = false;
  bool unknown = false;
};

std::vector<Piece> pieces(const ExplainedText& e) {
  std::vector<Piece> out;
  for (const ExplainedText::Word& word : e.words) {
    const int strength =
        word.z > 0.0f ? std::clamp(static_cast<int>(word.z * 20.0f + 0.5f), 5, 20) : 0;
    if (strength == 0 && !word.gold && !word.unknown) continue;
    const auto begin = static_cast<size_t>(word.token.byte_start);
    const auto end = static_cast<size_t>(word.token.byte_end);
    const bool joins = !out.empty() && out.back().strength == strength &&
                       out.back().gold == word.gold && out.back().unknown == word.unknown &&
                       e.text.find_first_not_of(" ", out.back().end) == begin;
    if (joins) {
      out.back().end = end;
    } else {
      out.push_back({begin, end, strength, word.gold, word.unknown});
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
    if (piece.unknown) inner = "<i class=\"unknown\" title=\"unknown word\">" + inner + "</i>";
    if (piece.gold) inner = "<u>" + inner + "</u>";
    if (piece.strength > 0) {
      inner = fmt::format("<mark style=\"--z:{:.2f}\">{}</mark>", piece.strength / 20.0, inner);
    }
    out += inner;
    at = piece.end;
  }
  return out + html_escape(text.substr(at));
}

}  // namespace

std::string page_open(const std::string& title, const std::string& subtitle) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      // No scripts and nothing external, so that no text can become active content.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n"
      "<p class=\"sub\">{2}</p>\n",
      html_escape(title), kStyle, html_escape(subtitle));
}

std::string page_card(const Explanation& e, const std::string& note) {
  std::string body = "<p>" + marked_text(e) + "</p>";
  if (e.alignment) {
    body += "<p>" + marked_text(e.alignment->second) + "</p>";
    if (!e.alignment->z.empty()) body += heat_map(e);
  }
  return fmt::format(
      "<article><header><strong>{}</strong>{}<span>{}</span><span>{}</span></header>"
      "{}</article>\n",
      html_escape(prediction_text(e)), note.empty() ? "" : "<span>" + html_escape(note) + "</span>",
      shown_text(e), html_escape(e.id), body);
}

std::string page_close() {
  return "</main>\n</body>\n</html>\n";
}

std::string page_chart(const std::string& svg, const std::string& caption) {
  if (caption.empty()) return "<div class=\"chart-box\">" + svg + "</div>\n";
  return "<figure class=\"chart-box\">" + svg + "<figcaption class=\"key\">" +
         html_escape(caption) + "</figcaption></figure>\n";
}

std::string html_table(const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<div class=\"scroll\"><table>\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    const char* cell = r == 0 ? "th" : "td";
    out += "<tr>";
    for (const std::string& text : rows[r]) {
      out += fmt::format("<{0}>{1}</{0}>", cell, html_escape(text));
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

}  // namespace hardkuma
