#include "hardkuma/report/density.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hardkuma/dist/kuma.h"

namespace hardkuma {
namespace {

// Of a curve, and the masses that follow it.
double area(const Series& series) {
  double out = 0.0;
  for (size_t i = 1; i < series.x.size(); ++i) {
    out += (series.x[i] - series.x[i - 1]) * 0.5 * (series.y[i] + series.y[i - 1]);
  }
  return out;
}

TEST(Density, KumaIntegratesToOne) {
  const LineChart chart = kuma_densities({{2, 2}, {1, 5}});
  ASSERT_EQ(chart.series.size(), 2u);
  for (const Series& series : chart.series) EXPECT_NEAR(area(series), 1.0, 0.01);
}

TEST(Density, HardKumaIntegratesToOneWithItsMasses) {
  for (const KumaShape& shape : std::vector<KumaShape>{{2, 2}, {0.5, 0.5}, {5, 1}}) {
    const LineChart chart = hardkuma_densities({shape});
    ASSERT_EQ(chart.series.size(), 3u);
    const double masses = chart.series[1].y[1] + chart.series[2].y[1];
    EXPECT_NEAR(area(chart.series[0]) + masses, 1.0, 0.01);
    EXPECT_EQ(chart.series[1].like, 0);
  }
}

TEST(Density, TheDistributionJumpsByTheMasses) {
  const LineChart chart = hardkuma_distributions({{0.5, 0.5}});
  const Series& series = chart.series.at(0);
  EXPECT_EQ(series.y.front(), 0.0);
  EXPECT_NEAR(series.y[2], 0.156599, 0.005);  // the first inside
  EXPECT_NEAR(series.y[series.y.size() - 3], 1.0 - 0.206332, 1e-6);
  EXPECT_EQ(series.y.back(), 1.0);
  for (size_t i = 1; i < series.y.size(); ++i) EXPECT_LE(series.y[i - 1], series.y[i]);
}

TEST(Density, StretchingChangesNothingInside) {
  const LineChart chart = rectification_chart({0.5, 0.5});
  ASSERT_EQ(chart.series.size(), 5u);
  const Series& stretched = chart.series[1];
  const Series& rectified = chart.series[2];
  EXPECT_LT(stretched.x.front(), 0.0);
  EXPECT_GT(stretched.x.back(), 1.0);
  // Between 0 and 1 the two curves are one: at each place of the rectified, between the stretched
  // one's neighbours.
  size_t compared = 0;
  for (size_t i = 0; i < rectified.x.size(); ++i) {
    const auto next = std::upper_bound(stretched.x.begin(), stretched.x.end(), rectified.x[i]);
    const auto k = static_cast<size_t>(next - stretched.x.begin());
    ASSERT_GT(k, 0u);
    ASSERT_LT(k, stretched.x.size());
    const double share =
        (rectified.x[i] - stretched.x[k - 1]) / (stretched.x[k] - stretched.x[k - 1]);
    const double between = stretched.y[k - 1] + share * (stretched.y[k] - stretched.y[k - 1]);
    EXPECT_NEAR(rectified.y[i], between, 0.01 * between) << rectified.x[i];
    ++compared;
  }
  EXPECT_GT(compared, 50u);
  // And outside there is what becomes the masses.
  const HardKuma gate(at::scalar_tensor(0.5, at::kDouble), at::scalar_tensor(0.5, at::kDouble));
  EXPECT_NEAR(chart.series[3].y[1], gate.p_zero().item<double>(), 1e-9);
  EXPECT_NEAR(chart.series[4].y[1], gate.p_one().item<double>(), 1e-9);
  const std::string svg = line_chart(chart);
  EXPECT_NE(svg.find("HardKuma"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace hardkuma
