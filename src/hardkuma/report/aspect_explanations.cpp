#include "hardkuma/report/aspect_explanations.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "hardkuma/common/text.h"
#include "hardkuma/report/escape.h"
#include "hardkuma/report/page.h"
#include "hardkuma/report/table.h"

namespace hardkuma {
namespace {

constexpr const char* kTerminalColours[] = {"43", "46", "45", "42", "44", "41"};
constexpr size_t kColourCount = std::size(kTerminalColours);

// Bytes [begin, end) of the text that the same models selected.
struct Stretch {
  size_t begin = 0;
  size_t end = 0;
  std::vector<size_t> models;
};

std::vector<Stretch> stretches(const AspectExplanations& explanations) {
  const std::string& text = explanations.at(0).text;
  std::vector<std::vector<bool>> inside(explanations.size(), std::vector<bool>(text.size()));
  for (size_t m = 0; m < explanations.size(); ++m) {
    for (const Token& span : explanations[m].rationale) {
      for (auto i = static_cast<size_t>(span.byte_start); i < static_cast<size_t>(span.byte_end);
           ++i) {
        inside[m][i] = true;
      }
    }
  }
  std::vector<Stretch> out;
  for (size_t i = 0; i < text.size(); ++i) {
    std::vector<size_t> models;
    for (size_t m = 0; m < inside.size(); ++m) {
      if (inside[m][i]) models.push_back(m);
    }
    if (out.empty() || out.back().models != models) out.push_back({i, i, models});
    out.back().end = i + 1;
  }
  return out;
}

std::string names_of(const AspectExplanations& explanations, const Stretch& stretch) {
  std::string out;
  for (const size_t m : stretch.models) {
    out += (out.empty() ? "" : "+") + printable(explanations[m].aspect);
  }
  return out;
}

std::string coloured(const std::string& text, size_t model, bool underlined) {
  return fmt::format("\x1b[30;{}{}m{}\x1b[0m", kTerminalColours[model % kColourCount],
                     underlined ? ";4" : "", text);
}

// One colour, or several in layers from top to bottom.
std::string background(const Stretch& stretch) {
  const auto colour = [](size_t m) { return fmt::format("var(--aspect{})", m % kColourCount); };
  if (stretch.models.size() == 1) return colour(stretch.models[0]);
  std::string layers;
  const double share = 100.0 / static_cast<double>(stretch.models.size());
  for (size_t i = 0; i < stretch.models.size(); ++i) {
    layers += fmt::format(",{} {:.0f}% {:.0f}%", colour(stretch.models[i]),
                          share * static_cast<double>(i), share * static_cast<double>(i + 1));
  }
  return "linear-gradient(180deg" + layers + ")";
}

}  // namespace

std::string to_json_line(const AspectExplanations& explanations) {
  nlohmann::ordered_json out = {{"id", explanations.at(0).id}, {"text", explanations[0].text}};
  out["aspects"] = nlohmann::ordered_json::object();
  for (const Explanation& e : explanations) {
    nlohmann::ordered_json own = to_json(e);
    for (const char* shared : {"id", "text", "aspect"}) own.erase(shared);
    out["aspects"][e.aspect] = std::move(own);
  }
  return out.dump();
}

std::string prediction_text(const AspectExplanations& explanations, bool colour) {
  std::string out;
  for (size_t m = 0; m < explanations.size(); ++m) {
    const std::string aspect = printable(explanations[m].aspect);
    const std::string name = colour ? coloured(aspect, m, /*underlined=*/false) : aspect;
    out += fmt::format("{}{} {}", m == 0 ? "" : " · ", name, value_text(explanations[m]));
  }
  return out;
}

std::string highlighted(const AspectExplanations& explanations, bool colour) {
  std::string out;
  for (const Stretch& stretch : stretches(explanations)) {
    const std::string words = printable(
        std::string_view(explanations[0].text).substr(stretch.begin, stretch.end - stretch.begin));
    if (stretch.models.empty()) {
      out += words;
    } else if (colour) {
      out += coloured(words, stretch.models[0], stretch.models.size() > 1);
    } else {
      out += fmt::format("[{}: {}]", names_of(explanations, stretch), words);
    }
  }
  return out;
}

std::string page_card(const AspectExplanations& explanations) {
  std::string head;
  for (size_t m = 0; m < explanations.size(); ++m) {
    const Explanation& e = explanations[m];
    head += fmt::format(
        "<span><span class=\"chip\" style=\"background:var(--aspect{})\">{}</span> "
        "<strong>{}</strong> {}</span>",
        m % kColourCount, html_escape(e.aspect), html_escape(value_text(e)), shown_text(e));
  }
  std::string body;
  for (const Stretch& stretch : stretches(explanations)) {
    const std::string words = html_escape(
        std::string_view(explanations[0].text).substr(stretch.begin, stretch.end - stretch.begin));
    body +=
        stretch.models.empty()
            ? words
            : fmt::format("<mark title=\"{}\" style=\"background:{}\">{}</mark>",
                          html_escape(names_of(explanations, stretch)), background(stretch), words);
  }
  return fmt::format("<article><header>{}<span>{}</span></header><p>{}</p></article>\n", head,
                     html_escape(explanations[0].id), body);
}

}  // namespace hardkuma
