#pragma once

#include <string>
#include <vector>

namespace hardkuma {

/// A line through points, perhaps in a band.
struct Series {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low = {};  ///< of the band, one for each point; empty: none
  std::vector<double> high = {};
  bool quiet = false;   ///< grey and thin: something to compare with
  bool points = false;  ///< a dot at each point
  int like = -1;        ///< in the colour of the series of that number, if any
};

/// A value that holds for every x, perhaps an interval.
struct Level {
  std::string name;
  double low = 0.0;
  double high = 0.0;
};

struct Axis {
  std::string label;
  bool percent = false;  ///< values are shares
  bool zero = false;     ///< begins at 0
  double most = 0.0;     ///< what is above it is cut off; 0: nothing is
};

/// All charts are self-contained SVG with text as text, in colours that people with
/// colour-blindness tell apart, readable on 400 pixels, on light and on dark ground. `title` may be
/// empty.
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
