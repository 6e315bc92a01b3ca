#include "hardkuma/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "hardkuma/common/text.h"
#include "hardkuma/report/escape.h"

namespace hardkuma {
namespace {

constexpr double kWidth = 640.0;
constexpr double kPlot = 310.0;  // height of the plot without the legend
constexpr double kLeft = 92.0;
constexpr double kRight = 28.0;
constexpr double kBottom = 64.0;
constexpr double kFont = 20.0;  // still 12 px in a chart 400 pixels wide
constexpr double kRow = 27.0;   // of the legend
constexpr double kLetter = 0.6 * kFont;

// Colours after Okabe and Ito; dashes, so that series do not differ by colour alone.
constexpr std::array<const char*, 7> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#8c6bb1"};
constexpr std::array<const char*, 7> kDashes = {"",    "9 4",     "2 4",    "12 4 2 4",
                                                "5 3", "6 2 2 2", "7 2 1 2"};

std::string series_colour(size_t number) {
  return kColours[number % kColours.size()];
}

struct Scale {
  double from = 0.0;
  double to = 1.0;

  double share(double value) const { return (value - from) / (to - from); }
};

struct Frame {
  Scale x;
  Scale y;
  double top = 0.0;
  double bottom() const { return top + kPlot; }
  double height() const { return bottom() + kBottom; }

  double at_x(double value) const { return kLeft + (kWidth - kLeft - kRight) * x.share(value); }
  double at_y(double value) const {
    return top + kPlot * (1.0 - std::clamp(y.share(value), -0.02, 1.02));
  }
};

std::string number(double value, const Axis& axis) {
  if (axis.percent) return fmt::format("{:.4g}%", 100.0 * value);
  if (std::abs(value) < 1e-12) return "0";
  return std::abs(value) >= 10000 ? fmt::format("{:.4g}k", 0.001 * value)
                                  : fmt::format("{:.4g}", value);
}

struct Range {
  double low = INFINITY;
  double high = -INFINITY;

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
};

std::vector<double> axis_ticks(Range range, const Axis& axis) {
  if (!(range.low <= range.high)) range = {0.0, 1.0};
  if (axis.zero) range.add(0.0);
  if (axis.most > 0.0) range.high = std::min(range.high, axis.most);
  if (range.low == range.high) {
    const double room = range.low == 0.0 ? 1.0 : 0.1 * std::abs(range.low);
    range = {range.low - (axis.zero ? 0.0 : room), range.high + room};
  }
  return ticks(range.low, range.high, 5);
}

std::string opening(const std::string& title, const std::string& what, double height) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {} {}\" "
      "role=\"img\" "
      "aria-label=\"{}\" font-family=\"system-ui, sans-serif\" font-size=\"{}\">\n"
      "<style>.chart {{ color: #1d1d1f; fill: currentColor }} "
      "@media (prefers-color-scheme: dark) {{ .chart {{ color: #ecebe7 }} }}</style>\n",
      kWidth, height, html_escape(title.empty() ? what : title), kFont);
  if (!title.empty()) {
    out += fmt::format("<text x=\"{}\" y=\"22\" font-weight=\"600\">{}</text>\n", kLeft,
                       html_escape(title));
  }
  return out;
}

struct Entry {
  std::string name;
  std::string mark;  // an SVG element around (0, 0), 26 wide
};

// Draws entries in rows from `top` on; returns the end of the last row.
double legend(std::string& out, const std::vector<Entry>& entries, double top) {
  double x = kLeft;
  double y = top;
  for (const Entry& entry : entries) {
    if (entry.name.empty()) continue;
    const double width = 34.0 + kLetter * static_cast<double>(count_code_points(entry.name)) + 18.0;
    if (x > kLeft && x + width > kWidth) {
      x = kLeft;
      y += kRow;
    }
    out += fmt::format(
        "<g transform=\"translate({:.1f} {:.1f})\">{}</g><text x=\"{:.1f}\" "
        "y=\"{:.1f}\">{}</text>\n",
        x, y + 0.5 * kRow, entry.mark, x + 34.0, y + 0.5 * kRow + 7.0, html_escape(entry.name));
    x += width;
  }
  const bool any = std::any_of(entries.begin(), entries.end(),
                               [](const Entry& entry) { return !entry.name.empty(); });
  return any ? y + kRow + 6.0 : top;
}

void horizontal_grid(std::string& out, const Frame& frame, const std::vector<double>& values,
                     const Axis& axis) {
  for (const double tick : values) {
    const double y = frame.at_y(tick);
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"currentColor\" "
        "stroke-opacity=\".13\"/><text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        kLeft, kWidth - kRight, y, kLeft - 8.0, y + 7.0, number(tick, axis));
  }
}

void labels(std::string& out, const Frame& frame, const std::string& x, const std::string& y) {
  if (!x.empty()) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       0.5 * (kLeft + kWidth - kRight), frame.height() - 8.0, html_escape(x));
  }
  if (!y.empty()) {
    out += fmt::format(
        "<text x=\"18\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 18 "
        "{0:.1f})\">{1}</text>\n",
        0.5 * (frame.top + frame.bottom()), html_escape(y));
  }
}

std::string stroke(const Series& series, size_t number) {
  if (series.quiet) {
    return "stroke=\"currentColor\" stroke-opacity=\".45\" stroke-width=\"1.5\" "
           "stroke-dasharray=\"4 3\"";
  }
  const std::string dash = series.like >= 0 ? "" : kDashes[number % kDashes.size()];
  return fmt::format("stroke=\"{}\" stroke-width=\"2.5\" stroke-linejoin=\"round\"{}",
                     series_colour(number),
                     dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

std::string points_of(const Frame& frame, const std::vector<double>& x,
                      const std::vector<double>& y, bool backwards) {
  std::string out;
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t k = backwards ? x.size() - 1 - i : i;
    if (!std::isfinite(y[k])) continue;
    out += fmt::format("{:.1f},{:.1f} ", frame.at_x(x[k]), frame.at_y(y[k]));
  }
  return out;
}

}  // namespace

std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / std::max(1, count - 1);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= rough * (1.0 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> out;
  const auto first = static_cast<int64_t>(std::floor(low / step + 1e-9));
  const auto last = static_cast<int64_t>(std::ceil(high / step - 1e-9));
  for (int64_t i = first; i <= last; ++i) out.push_back(static_cast<double>(i) * step);
  return out;
}

std::string line_chart(const LineChart& chart) {
  Range x_range;
  Range y_range;
  std::vector<Entry> entries;
  size_t coloured = 0;
  const auto place = [&](const Series& series) {
    if (series.quiet) return size_t{0};
    return series.like >= 0 ? static_cast<size_t>(series.like) : coloured++;
  };
  for (const Series& series : chart.series) {
    x_range.add(series.x);
    y_range.add(series.y);
    y_range.add(series.low);
    y_range.add(series.high);
    entries.push_back({series.name, fmt::format("<line x1=\"0\" x2=\"26\" y1=\"0\" y2=\"0\" {}/>",
                                                stroke(series, place(series)))});
  }
  for (const Level& level : chart.levels) {
    y_range.add(level.low);
    y_range.add(level.high);
    entries.push_back({level.name,
                       "<rect x=\"0\" y=\"-5\" width=\"26\" height=\"10\" fill=\"currentColor\" "
                       "fill-opacity=\".25\"/>"});
  }
  std::string names;
  Frame frame;
  frame.top = legend(names, entries, chart.title.empty() ? 4.0 : 34.0) + 8.0;
  std::string out = opening(chart.title, chart.y.label, frame.height()) + names;
  const std::vector<double> x_ticks = axis_ticks(x_range, chart.x);
  const std::vector<double> y_ticks = axis_ticks(y_range, chart.y);
  // The data fill the width; x ticks outside the data are left out.
  const bool spread = x_range.low < x_range.high;
  frame.x = {spread ? x_range.low : x_ticks.front(), spread ? x_range.high : x_ticks.back()};
  if (chart.x.zero) frame.x.from = std::min(0.0, frame.x.from);
  const double near = 0.01 * (frame.x.to - frame.x.from);
  for (const double tick : x_ticks) {
    if (tick < frame.x.from && tick > frame.x.from - near) frame.x.from = tick;
    if (tick > frame.x.to && tick < frame.x.to + near) frame.x.to = tick;
  }
  frame.y = {y_ticks.front(), y_ticks.back()};
  horizontal_grid(out, frame, y_ticks, chart.y);
  for (const double tick : x_ticks) {
    if (tick < frame.x.from - 1e-9 || tick > frame.x.to * (1.0 + 1e-9)) continue;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       frame.at_x(tick), frame.bottom() + 25.0, number(tick, chart.x));
  }
  labels(out, frame, chart.x.label, chart.y.label);
  for (const Level& level : chart.levels) {
    const double high = frame.at_y(level.high);
    const double low = std::max(frame.at_y(level.low), high + 2.0);
    out += fmt::format(
        "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"currentColor\" "
        "fill-opacity=\".18\"/>\n",
        kLeft, high, kWidth - kLeft - kRight, low - high);
  }
  coloured = 0;
  // A nested svg clips to the frame; unlike a clipPath it needs no id.
  const bool cut = chart.y.most > 0.0;
  if (cut) {
    out += fmt::format(
        "<svg x=\"{0}\" y=\"{1:.1f}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} "
        "{1:.1f} {2} {3}\">\n",
        kLeft - 6.0, frame.top, kWidth - kLeft - kRight + 12.0, kPlot + 6.0);
  }
  for (const Series& series : chart.series) {
    const size_t index = place(series);
    const std::string colour = series.quiet ? "currentColor" : series_colour(index);
    if (!series.low.empty()) {
      out += fmt::format("<polygon points=\"{}{}\" fill=\"{}\" fill-opacity=\".18\"/>\n",
                         points_of(frame, series.x, series.high, false),
                         points_of(frame, series.x, series.low, true), colour);
    }
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n",
                       points_of(frame, series.x, series.y, false), stroke(series, index));
    for (size_t i = 0; series.points && i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      out += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}: {}, "
          "{}</title></circle>\n",
          frame.at_x(series.x[i]), frame.at_y(series.y[i]), colour, html_escape(series.name),
          number(series.x[i], chart.x), number(series.y[i], chart.y));
    }
  }
  if (cut) out += "</svg>\n";
  return out + "</svg>\n";
}

std::string bar_chart(const BarChart& chart) {
  Range range;
  std::vector<Entry> entries;
  for (size_t s = 0; s < chart.series.size(); ++s) {
    range.add(chart.values[s]);
    entries.push_back(
        {chart.series[s],
         fmt::format("<rect x=\"4\" y=\"-7\" width=\"18\" height=\"14\" fill=\"{}\"/>",
                     series_colour(s))});
  }
  Axis axis = chart.y;
  axis.zero = true;
  std::string names;
  Frame frame;
  frame.top = legend(names, entries, chart.title.empty() ? 4.0 : 34.0) + 8.0;
  std::string out = opening(chart.title, chart.y.label, frame.height()) + names;
  const std::vector<double> values = axis_ticks(range, axis);
  frame.y = {values.front(), values.back()};
  horizontal_grid(out, frame, values, axis);
  labels(out, frame, "", chart.y.label);
  const double group = (kWidth - kLeft - kRight) / static_cast<double>(chart.groups.size());
  const double bar = 0.8 * group / static_cast<double>(std::max<size_t>(1, chart.series.size()));
  for (size_t g = 0; g < chart.groups.size(); ++g) {
    const double left = kLeft + group * static_cast<double>(g);
    for (size_t s = 0; s < chart.series.size(); ++s) {
      const double value = chart.values[s][g];
      if (!std::isfinite(value)) continue;
      const double top = frame.at_y(std::max(value, 0.0));
      const double foot = frame.at_y(std::min(value, 0.0));
      out += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"{}\"><title>{}{}{}: {}</title></rect>\n",
          left + 0.1 * group + bar * static_cast<double>(s), top, std::max(1.0, bar - 1.0),
          std::max(0.5, foot - top), series_colour(s), html_escape(chart.groups[g]),
          chart.series[s].empty() ? "" : ", ", html_escape(chart.series[s]),
          number(value, chart.y));
    }
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       left + 0.5 * group, frame.bottom() + 25.0, html_escape(chart.groups[g]));
  }
  return out + "</svg>\n";
}

}  // namespace hardkuma
