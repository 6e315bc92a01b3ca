// Hard Concrete and Bernoulli, the relatives behind the same interface.
#include <cmath>

#include "hardkuma/dist/bernoulli.h"
#include "hardkuma/dist/hard_concrete.h"
#include "hardkuma/dist/stable.h"
#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;
using test::expect_gradients;

at::Tensor grid(int64_t n) {
  return (at::arange(n, at::kDouble) + 0.5) / static_cast<double>(n);
}

TEST(HardConcrete, GradientsAgreeWithDifferences) {
  const at::Tensor alpha = doubles({-2.0, -0.3, 0.0, 1.5});
  const auto check = [&](auto member) {
    expect_gradients([&](const auto& in) { return member(HardConcrete(in[0])); }, {alpha});
  };
  check([](const HardConcrete& h) { return h.p_zero(); });
  check([](const HardConcrete& h) { return h.p_nonzero(); });
  check([](const HardConcrete& h) { return h.p_one(); });
  check([](const HardConcrete& h) { return h.mean(); });
  for (const double z : {0.0, 0.4, 1.0}) {
    check([&](const HardConcrete& h) { return h.log_prob(at::full({4}, z, at::kDouble)); });
    check([&](const HardConcrete& h) { return h.cdf(at::full({4}, z, at::kDouble)); });
  }
  check([](const HardConcrete& h) { return h.sample(at::full({4}, 0.45, at::kDouble)); });
}

TEST(HardConcrete, SamplesHaveTheMassesAndTheMeans) {
  const at::Tensor u = grid(100000);
  for (const double alpha : {-1.0, 0.0, 2.0}) {
    const HardConcrete h(at::full_like(u, alpha));
    const at::Tensor z = h.sample(u);
    EXPECT_NEAR((z == 0).to(at::kDouble).mean().item<double>(), h.p_zero()[0].item<double>(), 2e-5);
    EXPECT_NEAR((z == 1).to(at::kDouble).mean().item<double>(), h.p_one()[0].item<double>(), 2e-5);
    EXPECT_NEAR(z.mean().item<double>(), h.mean()[0].item<double>(), 2e-5);
    const at::Tensor inner = at::sigmoid((at::log(u) - at::log1p(-u) + alpha) * 1.5);
    EXPECT_NEAR(inner.mean().item<double>(), h.underlying_mean()[0].item<double>(), 1e-4);
  }
}

TEST(HardConcrete, DensityAndMassesSumToOne) {
  const auto [nodes, weights] = gauss_legendre(64);
  const HardConcrete h(at::full_like(nodes, 0.4));
  const double inside = (h.log_prob(nodes).exp() * weights).sum().item<double>();
  EXPECT_NEAR(inside + h.p_zero()[0].item<double>() + h.p_one()[0].item<double>(), 1.0, 1e-10);
}

TEST(HardConcrete, FiniteInFloatFarOut) {
  for (const float value : {-80.0f, -20.0f, 20.0f, 80.0f}) {
    const at::Tensor alpha = at::full({}, value).requires_grad_(true);
    const HardConcrete h(alpha);
    for (const at::Tensor& out : {h.p_zero(), h.p_one(), h.mean(), h.log_prob(at::zeros({})),
                                  h.sample(at::full({}, 0.5f))}) {
      EXPECT_TRUE(std::isfinite(out.item<float>()));
      EXPECT_TRUE(std::isfinite(torch::autograd::grad({out}, {alpha}, {}, true)[0].item<float>()));
    }
  }
}

TEST(Bernoulli, GradientsAgreeWithDifferences) {
  const at::Tensor logit = doubles({-3.0, 0.2, 1.0});
  expect_gradients([](const auto& in) { return Bernoulli(in[0]).p_zero(); }, {logit});
  expect_gradients([](const auto& in) { return Bernoulli(in[0]).p_nonzero(); }, {logit});
  expect_gradients([](const auto& in) { return Bernoulli(in[0]).mean(); }, {logit});
  for (const double z : {0.0, 1.0}) {
    expect_gradients(
        [&](const auto& in) { return Bernoulli(in[0]).log_prob(at::full({3}, z, at::kDouble)); },
        {logit});
  }
}

TEST(Bernoulli, SamplesDecisionsAndCdf) {
  const at::Tensor u = grid(10000);
  const Bernoulli gate(at::full_like(u, -1.0));
  EXPECT_NEAR(gate.sample(u).mean().item<double>(), 1.0 / (1.0 + std::exp(1.0)), 1e-4);
  const Bernoulli three(doubles({-1.0, 1.0, 40.0}));
  EXPECT_TRUE(at::equal(three.decide(Decision::Argmax), doubles({0, 1, 1})));
  EXPECT_TRUE(at::allclose(three.cdf(doubles({-0.1, 0.5, 1.0})),
                           doubles({0.0, 1.0 / (1.0 + std::exp(1.0)), 1.0})));
}

}  // namespace
}  // namespace hardkuma
