#pragma once

#include <string>
#include <vector>

namespace hardkuma {

/// A line through points, optionally with a band.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low = {};  ///< lower end of the band at each point; empty: no band
  std::vector<double> high = {};
  bool quiet = false;   ///< grey and thin, for reference
  bool points = false;  ///< a dot at each point
  int like = -1;        ///< index of the series whose colour to use; -1: none
};

/// A value, or an interval, for every x.
struct Level {
  std::string name;
  double low = 0.0;
  double high = 0.0;
};

struct Axis {
  std::string label;
  bool percent = false;  ///< values are shares
  bool zero = false;     ///< starts at 0
  double most = 0.0;     ///< larger values are clipped; 0: no limit
};

/// All charts are self-contained SVG with text as text. Colours are safe for colour-blind readers,
/// and charts are readable at 400 pixels on light and dark backgrounds. `title` may be empty.
struct LineChart {
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<Level> levels = {};
};
std::string line_chart(const LineChart& chart);

/// Groups of bars side by side: `values[s][g]` is the height of series s in group g.
struct BarChart {
  std::string title;
  Axis y;
  std::vector<std::string> groups;
  std::vector<std::string> series;
  std::vector<std::vector<double>> values;
};
std::string bar_chart(const BarChart& chart);

/// Round numbers from at most `low` to at least `high`, about `count` of them.
std::vector<double> ticks(double low, double high, int count);

}  // namespace hardkuma
