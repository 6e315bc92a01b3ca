#include "hardkuma/nn/vector_math.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace hardkuma {
namespace {

// Each is a loop over an array, as the kernels have them, so that the vector versions are tested.
HARDKUMA_CLONES void exp_all(const std::vector<float>& x, std::vector<float>& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = vec::exp(x[i]);
}
HARDKUMA_CLONES void expm1_all(const std::vector<float>& x, std::vector<float>& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = vec::expm1(x[i]);
}
HARDKUMA_CLONES void log_all(const std::vector<float>& x, std::vector<float>& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = vec::log(x[i]);
}
HARDKUMA_CLONES void log1p_all(const std::vector<float>& x, std::vector<float>& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = vec::log1p(x[i]);
}
HARDKUMA_CLONES void log1mexp_all(const std::vector<float>& x, std::vector<float>& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = vec::log1mexp(x[i]);
}
HARDKUMA_CLONES void sigmoid_all(const std::vector<float>& x, std::vector<float>& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = vec::sigmoid(x[i]);
}
HARDKUMA_CLONES void tanh_all(const std::vector<float>& x, std::vector<float>& y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = vec::tanh(x[i]);
}

using Loop = void (*)(const std::vector<float>&, std::vector<float>&);
using Exact = double (*)(double);

// The largest error in units of the last place, over many numbers between two ends.
double worst_ulp(Loop loop, Exact exact, float low, float high, bool by_magnitude) {
  constexpr size_t kCount = 200003;  // no multiple of a vector's length
  std::vector<float> x(kCount);
  std::vector<float> y(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    const double at = static_cast<double>(i) / (kCount - 1);
    x[i] = by_magnitude ? static_cast<float>(low * std::pow(high / low, at))
                        : static_cast<float>(low + at * (high - low));
  }
  loop(x, y);
  double worst = 0.0;
  for (size_t i = 0; i < kCount; ++i) {
    const double truth = exact(x[i]);
    const auto nearest = static_cast<float>(std::abs(truth));
    if (nearest < std::numeric_limits<float>::min()) continue;
    const double ulp = std::nextafter(nearest, std::numeric_limits<float>::infinity()) - nearest;
    worst = std::max(worst, std::abs(static_cast<double>(y[i]) - truth) / ulp);
  }
  return worst;
}

TEST(VectorMath, IsWithinFourUlp) {
  EXPECT_LE(worst_ulp(exp_all, std::exp, -87.0f, 88.0f, false), 4.0);
  EXPECT_LE(worst_ulp(expm1_all, std::expm1, -1e-9f, -90.0f, true), 4.0);
  EXPECT_LE(worst_ulp(expm1_all, std::expm1, 1e-9f, 88.0f, true), 4.0);
  EXPECT_LE(worst_ulp(log_all, std::log, 1e-37f, 1e37f, true), 4.0);
  EXPECT_LE(worst_ulp(log_all, std::log, 0.9f, 1.1f, false), 4.0);
  EXPECT_LE(worst_ulp(log1p_all, std::log1p, -1e-9f, -0.99999f, true), 4.0);
  EXPECT_LE(worst_ulp(log1p_all, std::log1p, 1e-9f, 1e9f, true), 4.0);
  EXPECT_LE(worst_ulp(tanh_all, std::tanh, 1e-9f, 20.0f, true), 4.0);
}

double log1mexp_of(double y) {
  return y < 0.5 ? std::log(-std::expm1(-y)) : std::log1p(-std::exp(-y));
}

TEST(VectorMath, CompositionsStayNear) {
  EXPECT_LE(worst_ulp(log1mexp_all, log1mexp_of, 1e-7f, 0.69f, true), 16.0);
  EXPECT_LE(worst_ulp(log1mexp_all, log1mexp_of, 0.7f, 80.0f, true), 16.0);
  std::vector<float> x;
  for (int i = -4000; i <= 4000; ++i) x.push_back(static_cast<float>(i) * 0.03f);
  x.insert(x.end(), {1e30f, -1e30f, 0.0f});
  std::vector<float> y(x.size());
  sigmoid_all(x, y);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(y[i], 1.0 / (1.0 + std::exp(-double{x[i]})), 3e-7);
  tanh_all(x, y);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], std::tanh(double{x[i]}), 3e-7);
}

TEST(VectorMath, EndsOfTheRange) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x(33, inf);
  const std::vector<float> low(33, -inf);
  const std::vector<float> zero(33, 0.0f);
  const std::vector<float> nan(33, std::nanf(""));
  std::vector<float> y(33);
  exp_all(x, y);
  for (const float v : y) EXPECT_EQ(v, inf);
  exp_all(low, y);
  for (const float v : y) EXPECT_EQ(v, 0.0f);
  expm1_all(low, y);
  for (const float v : y) EXPECT_EQ(v, -1.0f);
  log_all(zero, y);
  for (const float v : y) EXPECT_EQ(v, -inf);
  exp_all(nan, y);
  for (const float v : y) EXPECT_TRUE(std::isnan(v));
}

}  // namespace
}  // namespace hardkuma
