#include "hardkuma/report/density.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include "hardkuma/dist/kuma.h"

namespace hardkuma {
namespace {

constexpr int64_t kPoints = 400;
constexpr double kMost = 3.0;  // unbounded densities are clipped here

at::Tensor number(double value) {
  return at::scalar_tensor(value, at::kDouble);
}

std::vector<double> values_of(const at::Tensor& tensor) {
  const at::Tensor whole = tensor.contiguous();
  return {whole.data_ptr<double>(), whole.data_ptr<double>() + whole.numel()};
}

// The midpoints of kPoints intervals of (low, high), so that none is an end point.
at::Tensor grid(double low, double high) {
  const double piece = (high - low) / static_cast<double>(kPoints);
  return at::arange(kPoints, at::kDouble) * piece + (low + 0.5 * piece);
}

std::string name_of(KumaShape shape) {
  return fmt::format("{:g}, {:g}", shape.a, shape.b);
}

Series curve(const std::string& name, const at::Tensor& x, const at::Tensor& y) {
  return {name, values_of(x), values_of(y)};
}

HardKuma hardkuma(KumaShape shape) {
  return {number(shape.a), number(shape.b)};
}

// Adds the masses at 0 and 1 in the colour of series `like`, shifted `outside` so that the masses
// of several series do not overlap.
void add_masses(LineChart& chart, KumaShape shape, int like, double outside) {
  const HardKuma gate = hardkuma(shape);
  for (const auto& [x, mass] :
       {std::pair{-outside, gate.p_zero()}, std::pair{1.0 + outside, gate.p_one()}}) {
    Series mark{"", {x, x}, {0.0, mass.item<double>()}};
    mark.points = true;
    mark.like = like;
    chart.series.push_back(std::move(mark));
  }
}

LineChart densities(const std::string& title, const std::string& x) {
  LineChart chart{title, {x}, {"density"}, {}};
  chart.y.zero = true;
  chart.y.most = kMost;
  return chart;
}

}  // namespace

LineChart rectification_chart(KumaShape shape) {
  LineChart chart = densities(fmt::format("From Kuma to HardKuma ({})", name_of(shape)), "");
  const Support support;
  const at::Tensor a = number(shape.a);
  const at::Tensor b = number(shape.b);
  const at::Tensor plain = grid(0.0, 1.0);
  chart.series.push_back(curve("Kuma", plain, Kuma(a, b).log_prob(plain).exp()));
  const at::Tensor wide = grid(support.l, support.r);
  chart.series.push_back(curve("stretched", wide, StretchedKuma(a, b).log_prob(wide).exp()));
  chart.series.push_back(curve("HardKuma", plain, hardkuma(shape).log_prob(plain).exp()));
  add_masses(chart, shape, 2, 0.0);
  return chart;
}

LineChart kuma_densities(const std::vector<KumaShape>& shapes) {
  LineChart chart = densities("Kuma(a, b)", "k");
  const at::Tensor x = grid(0.0, 1.0);
  for (const KumaShape& shape : shapes) {
    chart.series.push_back(
        curve(name_of(shape), x, Kuma(number(shape.a), number(shape.b)).log_prob(x).exp()));
  }
  return chart;
}

LineChart hardkuma_densities(const std::vector<KumaShape>& shapes) {
  LineChart chart = densities("HardKuma(a, b): density and masses", "h");
  const at::Tensor x = grid(0.0, 1.0);
  for (const KumaShape& shape : shapes) {
    chart.series.push_back(curve(name_of(shape), x, hardkuma(shape).log_prob(x).exp()));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    add_masses(chart, shapes[i], static_cast<int>(i), 0.015 * static_cast<double>(i + 1));
  }
  return chart;
}

LineChart hardkuma_distributions(const std::vector<KumaShape>& shapes) {
  LineChart chart{"HardKuma(a, b): distribution function", {"h"}, {"P(H ≤ h)"}, {}};
  chart.y.zero = true;
  const at::Tensor inside = grid(0.0, 1.0);
  for (const KumaShape& shape : shapes) {
    Series series{name_of(shape), {-0.05, 0.0}, {0.0, 0.0}};
    const std::vector<double> x = values_of(inside);
    const std::vector<double> y = values_of(hardkuma(shape).cdf(inside));
    series.x.insert(series.x.end(), x.begin(), x.end());
    series.y.insert(series.y.end(), y.begin(), y.end());
    const double below_one = 1.0 - hardkuma(shape).p_one().item<double>();
    series.x.insert(series.x.end(), {1.0, 1.0, 1.05});
    series.y.insert(series.y.end(), {below_one, 1.0, 1.0});
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace hardkuma
