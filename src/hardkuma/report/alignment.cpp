#include "hardkuma/report/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hardkuma/common/text.h"
#include "hardkuma/report/escape.h"
#include "hardkuma/report/page.h"

namespace hardkuma {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNull = "NULL";

std::string word_of(const ExplainedText& text, size_t place) {
  return std::string(text.words[place].token.in(text.text));
}

size_t columns_of(const Explanation& pair) {
  return pair.alignment->second.words.size() + 1;
}

Json end_of_link(const ExplainedText& text, size_t place) {
  if (place == 0) return nullptr;
  const Token& token = text.words[place - 1].token;
  return {{"start", token.start}, {"end", token.end}, {"text", token.in(text.text)}};
}

Json matrix(const std::vector<float>& values, size_t columns) {
  Json out = Json::array();
  for (size_t at = 0; at < values.size(); at += columns) {
    Json row = Json::array();
    for (size_t j = at; j < at + columns; ++j) row.push_back(rounded(values[j]));
    out.push_back(std::move(row));
  }
  return out;
}

// Words longer than this are cut in a picture.
constexpr int64_t kLongestShown = 24;

// A side with more words than this shows only those with a link.
constexpr size_t kMostLines = 60;

// A row or a column of the picture.
struct Line {
  size_t place = 0;  // 0: NULL
  std::string name;
};

// The cells of line i begin at i·step and lie `stride` apart.
std::vector<Line> lines_of(const ExplainedText& text, const std::vector<float>& z, size_t step,
                           size_t stride) {
  std::vector<Line> out;
  const size_t count = text.words.size() + 1;
  const size_t others = z.size() / count;
  for (size_t i = 0; i < count; ++i) {
    bool linked = count <= kMostLines;
    for (size_t j = 0; j < others && !linked; ++j) linked = z[i * step + j * stride] > 0.0f;
    if (linked) out.push_back({i, i == 0 ? kNull : quotable(word_of(text, i - 1), kLongestShown)});
  }
  return out;
}

double width_of(const std::string& word) {
  return 9.0 * static_cast<double>(count_code_points(word));
}

}  // namespace

std::vector<Link> strongest_links(const Explanation& pair) {
  std::vector<Link> out;
  if (pair.alignment->z.empty()) return out;
  const size_t columns = columns_of(pair);
  for (size_t i = 0; i < pair.words.size(); ++i) {
    for (size_t j = 0; j + 1 < columns; ++j) {
      const float z = pair.alignment->z[(i + 1) * columns + j + 1];
      if (z > 0.0f) out.push_back({i, j, z});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Link& a, const Link& b) { return a.z > b.z; });
  return out;
}

std::string links_text(const Explanation& pair, size_t most) {
  const std::vector<Link> links = strongest_links(pair);
  std::string out;
  for (size_t i = 0; i < std::min(most, links.size()); ++i) {
    out +=
        fmt::format("{}{}–{} {:.2f}", i == 0 ? "" : " · ", printable(word_of(pair, links[i].first)),
                    printable(word_of(pair.alignment->second, links[i].second)), links[i].z);
  }
  if (links.size() > most) out += fmt::format(" · {} more", links.size() - most);
  return out;
}

Json links_json(const Explanation& pair) {
  Json out = Json::array();
  const size_t columns = columns_of(pair);
  const std::vector<float>& z = pair.alignment->z;
  for (size_t cell = 0; cell < z.size(); ++cell) {
    if (!(z[cell] > 0.0f)) continue;
    out.push_back({{"first", end_of_link(pair, cell / columns)},
                   {"second", end_of_link(pair.alignment->second, cell % columns)},
                   {"z", rounded(z[cell])}});
  }
  return out;
}

Json cells_json(const Explanation& pair) {
  const size_t columns = columns_of(pair);
  const auto names = [](const ExplainedText& text) {
    Json out = Json::array({nullptr});
    for (size_t i = 0; i < text.words.size(); ++i) out.push_back(word_of(text, i));
    return out;
  };
  return {{"rows", names(pair)},
          {"columns", names(pair.alignment->second)},
          {"z", matrix(pair.alignment->z, columns)},
          {"p0", matrix(pair.alignment->p_zero, columns)},
          {"p1", matrix(pair.alignment->p_one, columns)}};
}

std::string heat_map(const Explanation& pair) {
  constexpr double kCell = 26.0;
  constexpr double kGap = 6.0;
  const size_t all_columns = columns_of(pair);
  const std::vector<Line> rows = lines_of(pair, pair.alignment->z, all_columns, 1);
  const std::vector<Line> columns =
      lines_of(pair.alignment->second, pair.alignment->z, 1, all_columns);
  const auto longest = [](const std::vector<Line>& lines) {
    double out = 0.0;
    for (const Line& line : lines) out = std::max(out, width_of(line.name));
    return out;
  };
  // Column names lean to the right by 45 degrees.
  const double lean = 0.72 * longest(columns);
  const double left = longest(rows) + 2.0 * kGap;
  const double top = lean + 2.0 * kGap;
  const double width = left + kCell * static_cast<double>(columns.size()) + lean + kGap;
  const double height = top + kCell * static_cast<double>(rows.size()) + kGap;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-label=\"Links between the words of the two texts\" "
      "font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"currentColor\">\n",
      width, height);
  const auto style = [](size_t place) {
    return place == 0 ? " font-style=\"italic\" fill-opacity=\".6\"" : "";
  };
  for (size_t j = 0; j < columns.size(); ++j) {
    const double x = left + kCell * (static_cast<double>(j) + 0.5) + 4.0;
    out += fmt::format(
        "<text x=\"{0:.1f}\" y=\"{1:.1f}\" transform=\"rotate(-45 {0:.1f} "
        "{1:.1f})\"{2}>{3}</text>\n",
        x, top - kGap, style(columns[j].place), html_escape(columns[j].name));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const double y = top + kCell * static_cast<double>(i);
    out +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\"{}>{}</text>\n",
                    left - kGap, y + 0.66 * kCell, style(rows[i].place), html_escape(rows[i].name));
    for (size_t j = 0; j < columns.size(); ++j) {
      const float z = pair.alignment->z[rows[i].place * all_columns + columns[j].place];
      const double x = left + kCell * static_cast<double>(j);
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#f0a500\" "
          "fill-opacity=\"{:.2f}\" stroke=\"currentColor\" stroke-opacity=\".15\"/>",
          x, y, kCell, kCell, z);
      if (z > 0.0f) {
        out += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"11\" "
            "text-anchor=\"middle\">{:.0f}</text>",
            x + 0.5 * kCell, y + 0.64 * kCell, 100.0 * z);
      }
    }
    out += "\n";
  }
  return out + "</svg>\n";
}

}  // namespace hardkuma
