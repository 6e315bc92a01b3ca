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
  EXPECT_LE(worst_ulp(tanh_all, std::tanh, -20.0f, 20.0f, false), 4.0);
}

}  // namespace
}  // namespace hardkuma
