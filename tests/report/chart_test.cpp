#include "hardkuma/report/chart.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hardkuma {
namespace {

size_t count(const std::string& text, const std::string& what) {
  size_t out = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

TEST(Ticks, AreRoundAndCoverTheRange) {
  EXPECT_EQ(ticks(0.0, 1.0, 5), (std::vector<double>{0.0, 0.25, 0.5, 0.75, 1.0}));
  for (const auto& [low, high] : {std::pair(0.0, 1.0), std::pair(-3.2, 7.1), std::pair(1e-5, 3e-5),
                                  std::pair(12345.0, 99999.0)}) {
    const std::vector<double> at = ticks(low, high, 5);
    EXPECT_LE(at.front(), low + 1e-9 * std::abs(low));
    EXPECT_GE(at.back(), high - 1e-9 * std::abs(high));
    EXPECT_LE(at.size(), 8u);
    EXPECT_GE(at.size(), 3u);
  }
}

TEST(LineChart, DrawsItsLinesBandsAndLevels) {
  LineChart chart{"A & B", {"x"}, {"share", true, true}, {}};
  chart.series = {{"one", {1, 2, 3}, {0.1, 0.2, 0.15}, {0.05, 0.1, 0.1}, {0.2, 0.3, 0.2}},
                  {"two", {1, 2, 3}, {0.3, NAN, 0.2}}};
  chart.series[1].points = true;
  chart.levels = {{"full text", 0.4, 0.5}};
  const std::string svg = line_chart(chart);
  EXPECT_EQ(count(svg, "<polyline"), 2u);
  EXPECT_EQ(count(svg, "<polygon"), 1u);
  EXPECT_EQ(count(svg, "<circle"), 2u);  // what is not a number is left out
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  for (const char* text : {"A &amp; B", ">one<", ">two<", ">full text<", ">0%<", ">60%<", ">x<"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
}

// One point, none, a constant, a huge or an empty range: something finite is drawn.
TEST(LineChart, CutsOffWhatIsTooHighAndSharesColours) {
  LineChart chart{"", {"x"}, {"y", false, true}, {}};
  chart.series = {{"a", {0.0, 1.0}, {1.0, 100.0}}, {"", {0.5, 0.5}, {0.0, 1.0}}};
  chart.series[1].like = 0;
  EXPECT_NE(line_chart(chart).find(">100<"), std::string::npos);
  chart.y.most = 3.0;
  const std::string svg = line_chart(chart);
  EXPECT_EQ(svg.find(">100<"), std::string::npos);
  EXPECT_NE(svg.find(">3<"), std::string::npos);
  EXPECT_EQ(svg.find("#d55e00"), std::string::npos);  // the second colour
}

TEST(LineChart, CopesWithLittle) {
  for (const std::vector<double>& y :
       {std::vector<double>{}, {0.5}, {2.0, 2.0}, {1e-8, 1e8}, {NAN, NAN}, {-3.0, 0.0}}) {
    LineChart chart{"", {"x"}, {"y"}, {}};
    chart.series.push_back({"s", {}, y});
    for (size_t i = 0; i < y.size(); ++i) chart.series[0].x.push_back(1.0 + static_cast<double>(i));
    const std::string svg = line_chart(chart);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

TEST(BarChart, HasABarForEachValue) {
  BarChart chart;
  chart.title = "t";
  chart.y.percent = true;
  chart.groups = {"never", "often"};
  chart.series = {"a", "b"};
  chart.values = {{0.1, 0.2}, {0.3, NAN}};
  const std::string svg = bar_chart(chart);
  EXPECT_EQ(count(svg, "<title>"), 3u);
  EXPECT_NE(svg.find("often, a: 20%"), std::string::npos);
}

}  // namespace
}  // namespace hardkuma
