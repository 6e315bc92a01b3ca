#include "hardkuma/dist/stable.h"

#include <cmath>

#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;
using test::expect_gradients;

TEST(Stable, Log1mExpEqualsLongDoubleReference) {
  for (const double y : {1e-12, 1e-6, 0.1, 0.5, 0.6931, 0.6932, 1.0, 5.0, 30.0, 200.0}) {
    const auto reference = static_cast<double>(std::log(-std::expm1(-static_cast<long double>(y))));
    EXPECT_NEAR(log1mexp(doubles({y})).item<double>(), reference,
                1e-15 + 1e-14 * std::abs(reference))
        << y;
  }
}

TEST(Stable, GradientsAgreeWithDifferences) {
  const at::Tensor y = doubles({0.01, 0.3, 0.69, 0.7, 2.0, 8.0});
  expect_gradients([](const auto& in) { return log1mexp(in[0]); }, {y});
  expect_gradients([](const auto& in) { return log_neg_log1mexp(in[0]); },
                   {doubles({0.01, 0.3, 0.69, 0.7, 2.0, 8.0, 15.0, 40.0})});
  expect_gradients([](const auto& in) { return log_expm1_ratio(in[0]); },
                   {doubles({2e-4, 9e-4, 2e-3, 0.1, 1.0, 20.0})});
}

TEST(Stable, FiniteAndLiveInFloatAtTheEdges) {
  for (const float y : {1e-30f, 1e-10f, 1e-6f, 50.0f, 1e3f, 1e6f}) {
    const at::Tensor leaf = at::full({}, y).requires_grad_(true);
    for (const at::Tensor& out : {log1mexp(leaf), log_neg_log1mexp(leaf), log_expm1_ratio(leaf)}) {
      EXPECT_TRUE(std::isfinite(out.item<float>())) << y;
      const auto grad = torch::autograd::grad({out}, {leaf})[0];
      EXPECT_TRUE(std::isfinite(grad.item<float>())) << y;
    }
  }
}

TEST(Stable, GaussLegendreIntegratesPolynomialsExactly) {
  const auto [nodes, weights] = gauss_legendre(16);
  for (int power = 0; power < 32; ++power) {
    EXPECT_NEAR((at::pow(nodes, power) * weights).sum().item<double>(), 1.0 / (power + 1), 1e-14)
        << power;
  }
}

}  // namespace
}  // namespace hardkuma
