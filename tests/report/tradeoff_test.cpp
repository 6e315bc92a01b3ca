#include "hardkuma/report/tradeoff.h"

#include <gtest/gtest.h>

namespace hardkuma {
namespace {

SweepPoint point(const std::string& model, double target, int64_t seed, double metric,
                 double selected) {
  SweepPoint out{model, target, seed, "dev", {}};
  out.measured.metric = metric;
  out.measured.selected_micro = selected;
  return out;
}

std::vector<SweepPoint> small_sweep() {
  return {point("hardkuma", 0.4, 1, 0.5, 0.41), point("hardkuma", 0.4, 2, 0.7, 0.39),
          point("hardkuma", 0.1, 1, 0.3, 0.1),  point("hardkuma", 0.1, 2, 0.3, 0.1),
          point("bernoulli", 0.4, 1, 0.4, 0.4), point("full text", 1.0, 1, 0.8, 1.0),
          point("full text", 1.0, 2, 0.82, 1.0)};
}

TEST(Tradeoff, HasARowForEachModelAndTarget) {
  const auto rows = sweep_rows(small_sweep());
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1][0], "hardkuma");
  EXPECT_EQ(rows[1][1], "10%");
  EXPECT_EQ(rows[2][1], "40%");
  EXPECT_EQ(rows[2][2], "2");
  EXPECT_EQ(rows[2][3], "40.0%");
  EXPECT_EQ(rows[2][4], "60.0%");
  EXPECT_EQ(rows[3][5], "–");  // one seed has no interval
  EXPECT_EQ(rows[4][0], "full text");
  EXPECT_EQ(rows[4][1], "–");
}

TEST(Tradeoff, DrawsModelsByWhatTheySelectedAndTheFullTextAcross) {
  std::vector<SweepPoint> points = small_sweep();
  const LineChart two = tradeoff_chart(points, "");  // two seeds are points, without an interval
  EXPECT_EQ(two.series[0].low[1], two.series[0].y[1]);
  EXPECT_EQ(two.levels[0].low, two.levels[0].high);
  EXPECT_EQ(sweep_rows(points)[2][5], "–");
  points.push_back(point("hardkuma", 0.4, 3, 0.6, 0.4));
  points.push_back(point("full text", 1.0, 3, 0.81, 1.0));
  const LineChart chart = tradeoff_chart(points, "");
  ASSERT_EQ(chart.series.size(), 2u);
  EXPECT_EQ(chart.series[0].name, "hardkuma");
  ASSERT_EQ(chart.series[0].x.size(), 2u);
  EXPECT_DOUBLE_EQ(chart.series[0].x[0], 0.1);
  EXPECT_DOUBLE_EQ(chart.series[0].x[1], 0.4);
  EXPECT_LT(chart.series[0].low[1], chart.series[0].y[1]);
  ASSERT_EQ(chart.levels.size(), 1u);
  EXPECT_LT(chart.levels[0].low, 0.81);
  EXPECT_GT(chart.levels[0].high, 0.81);
}

// What came of a target may lie beyond that of the next.
TEST(Tradeoff, LinesGoFromLeftToRight) {
  const LineChart chart = tradeoff_chart(
      {point("bernoulli", 0.1, 1, 0.3, 0.25), point("bernoulli", 0.2, 1, 0.4, 0.2)}, "");
  ASSERT_EQ(chart.series.size(), 1u);
  EXPECT_DOUBLE_EQ(chart.series[0].x[0], 0.2);
  EXPECT_DOUBLE_EQ(chart.series[0].y[0], 0.4);
  EXPECT_DOUBLE_EQ(chart.series[0].y[1], 0.3);
}

TEST(Tradeoff, PrecisionWhereThereIsGold) {
  std::vector<SweepPoint> points = small_sweep();
  EXPECT_FALSE(has_gold(points));
  EXPECT_EQ(sweep_csv(points).find("precision"), std::string::npos);
  for (SweepPoint& p : points) p.measured.rationale = {10, 30, 40, 50, 200};
  points[0].measured.gated = true;
  points[0].measured.expected = 0.42;
  points[0].measured.likeliest = 0.43;
  EXPECT_TRUE(has_gold(points));
  const LineChart chart = precision_chart(points, "");
  EXPECT_DOUBLE_EQ(chart.series[0].y[0], 0.75);
  ASSERT_EQ(chart.levels.size(), 1u);
  EXPECT_DOUBLE_EQ(chart.levels[0].low, 0.25);
  const std::string csv = sweep_csv(points);
  EXPECT_NE(csv.find("model,target,seed,split,accuracy,loss,selected_micro,selected_macro,expected,"
                     "argmax,precision,recall,f1\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("hardkuma,0.4,1,dev,0.5,0,0.41,0,0.42,0.43,0.75,0.6,0.666667\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("hardkuma,0.4,2,dev,0.7,0,0.39,0,,,"), std::string::npos) << csv;
}

TEST(Tradeoff, OfNothing) {
  EXPECT_EQ(sweep_rows({}).size(), 1u);
  EXPECT_NE(line_chart(tradeoff_chart({}, "")).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace hardkuma
