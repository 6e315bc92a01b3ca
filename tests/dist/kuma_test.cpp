#include "hardkuma/dist/kuma.h"

#include <cmath>

#include "hardkuma/common/random.h"
#include "hardkuma/dist/stable.h"
#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;
using test::expect_gradients;

struct Golden {
  double a, b, zero, one, between, mean;
};

// (l, r) = (-0.1, 1.1); tests/golden/kuma.py makes these numbers.
const std::vector<Golden> kGolden = {
    {std::log(2.0), std::log(2.0), .127510, .139832, .732658, .509616},
    {.5, .5, .156599, .206332, .637069, .533333},
    {1, 1, .083333, .083333, .833333, .5},
    {2, 2, .013841, .025511, .960648, .533333},
    {.1, .1, .140498, .621969, .237533, .751622},
    {5, 1, .000004, .352772, .647224, .833333},
    {1, 5, .352772, .000004, .647224, .166667},
    {.0708, 3.5888, .998566, .000000, .001434, .000577},
};

TEST(HardKuma, GoldenValuesInFloatAndDouble) {
  for (const Golden& g : kGolden) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      const HardKuma h(doubles({g.a}).to(dtype), doubles({g.b}).to(dtype));
      EXPECT_NEAR(h.p_zero().item<double>(), g.zero, 1.1e-6) << g.a << " " << g.b;
      EXPECT_NEAR(h.p_one().item<double>(), g.one, 1.1e-6) << g.a << " " << g.b;
      EXPECT_NEAR(h.p_between().item<double>(), g.between, 1.1e-6) << g.a << " " << g.b;
      EXPECT_NEAR(h.underlying_mean().item<double>(), g.mean, 1.1e-6) << g.a << " " << g.b;
    }
  }
}

TEST(HardKuma, FiniteValuesAndGradientsOverTheWholeRangeInFloat) {
  const std::vector<float> shapes = {1e-6f, 1e-4f, 1e-2f, 0.1f,   0.5f,
                                     1.0f,  3.0f,  10.0f, 100.0f, 1e3f};
  const std::vector<float> us = {6e-8f, 1e-4f, 0.1f, 0.5f, 0.9f, 0.9999f, 1.0f - 6e-8f};
  for (const float av : shapes) {
    for (const float bv : shapes) {
      const at::Tensor a = at::full({}, av).requires_grad_(true);
      const at::Tensor b = at::full({}, bv).requires_grad_(true);
      const HardKuma h(a, b);
      std::vector<at::Tensor> outs = {h.p_zero(), h.p_nonzero(), h.p_one(), h.mean(),
                                      h.underlying_mean()};
      for (const float z : {0.0f, 0.3f, 1.0f}) {
        outs.push_back(h.log_prob(at::full({}, z)));
        outs.push_back(h.cdf(at::full({}, z)));
      }
      for (const float u : us) outs.push_back(h.sample(at::full({}, u)));
      for (size_t i = 0; i < outs.size(); ++i) {
        EXPECT_TRUE(std::isfinite(outs[i].item<float>()))
            << "output " << i << " at " << av << ", " << bv;
        const auto grads = torch::autograd::grad({outs[i]}, {a, b}, {}, true, false, true);
        for (const at::Tensor& grad : grads) {
          if (!grad.defined()) continue;
          EXPECT_TRUE(std::isfinite(grad.item<float>()))
              << "gradient of " << i << " at " << av << ", " << bv;
        }
      }
      const float total = h.p_zero().item<float>() + h.p_nonzero().item<float>();
      EXPECT_NEAR(total, 1.0f, 1e-5f);
    }
  }
}

TEST(HardKuma, GradientsAgreeWithDifferences) {
  const at::Tensor a = doubles({0.3, 0.7, 1.0, 2.5, 0.1});
  const at::Tensor b = doubles({0.6, 0.7, 1.0, 0.4, 3.0});
  const auto check = [&](auto member) {
    expect_gradients([&](const auto& in) { return member(HardKuma(in[0], in[1])); }, {a, b});
  };
  check([](const HardKuma& h) { return h.p_zero(); });
  check([](const HardKuma& h) { return h.p_nonzero(); });
  check([](const HardKuma& h) { return h.p_one(); });
  check([](const HardKuma& h) { return h.mean(); });
  check([](const HardKuma& h) { return h.underlying_mean(); });
  for (const double z : {0.0, 0.2, 0.8, 1.0}) {
    check([&](const HardKuma& h) { return h.log_prob(at::full({5}, z, at::kDouble)); });
    check([&](const HardKuma& h) { return h.cdf(at::full({5}, z, at::kDouble)); });
  }
  for (const double u : {0.3, 0.5, 0.65}) {
    check([&](const HardKuma& h) { return h.sample(at::full({5}, u, at::kDouble)); });
  }
}

TEST(Kuma, GradientsAgreeWithDifferences) {
  const at::Tensor a = doubles({0.3, 1.0, 2.5});
  const at::Tensor b = doubles({0.6, 1.0, 0.4});
  const at::Tensor k = doubles({0.2, 0.5, 0.9});
  expect_gradients([](const auto& in) { return Kuma(in[0], in[1]).cdf(in[2]); }, {a, b, k});
  expect_gradients([](const auto& in) { return Kuma(in[0], in[1]).inverse_cdf(in[2]); }, {a, b, k});
  expect_gradients([](const auto& in) { return Kuma(in[0], in[1]).log_prob(in[2]); }, {a, b, k});
  expect_gradients([](const auto& in) { return StretchedKuma(in[0], in[1]).cdf(in[2]); },
                   {a, b, k});
  expect_gradients([](const auto& in) { return StretchedKuma(in[0], in[1]).log_prob(in[2]); },
                   {a, b, k});
  expect_gradients([](const auto& in) { return StretchedKuma(in[0], in[1]).inverse_cdf(in[2]); },
                   {a, b, k});
  expect_gradients([](const auto& in) { return Kuma(in[0], in[1]).log_cdf(1.0 / 12.0); }, {a, b});
}

TEST(Kuma, InverseCdfInvertsCdf) {
  const at::Tensor u = at::linspace(0.02, 0.98, 49, at::kDouble);
  for (const double a : {0.2, 1.0, 4.0}) {
    for (const double b : {0.3, 1.0, 6.0}) {
      const Kuma kuma(at::full_like(u, a), at::full_like(u, b));
      EXPECT_LT((kuma.cdf(kuma.inverse_cdf(u)) - u).abs().max().item<double>(), 1e-12);
    }
  }
}

TEST(Kuma, CdfIsConstantOutsideTheInterval) {
  const Kuma kuma(doubles({0.5, 0.5, 0.5, 0.5}), doubles({2, 2, 2, 2}));
  const at::Tensor value = kuma.cdf(doubles({-1.0, 0.0, 1.0, 2.0}));
  EXPECT_TRUE(at::equal(value, doubles({0, 0, 1, 1})));
}

TEST(Kuma, DensityIntegratesToTheCdf) {
  const auto [nodes, weights] = gauss_legendre(64);
  for (const double a : {0.8, 1.0, 3.0}) {
    for (const double b : {1.0, 2.0, 5.0}) {
      const Kuma kuma(at::full_like(nodes, a), at::full_like(nodes, b));
      const at::Tensor mid = nodes * 0.5 + 0.25;  // over [1/4, 3/4]
      const double integral = (kuma.log_prob(mid).exp() * weights).sum().item<double>() * 0.5;
      const double difference =
          (kuma.cdf(at::full_like(nodes, 0.75)) - kuma.cdf(at::full_like(nodes, 0.25)))[0]
              .item<double>();
      EXPECT_NEAR(integral, difference, 1e-12) << a << " " << b;
    }
  }
}

TEST(HardKuma, MassAtZeroEqualsStretchedCdf) {
  const at::Tensor a = doubles({0.3, 1.0, 2.0});
  const at::Tensor b = doubles({0.9, 0.2, 3.0});
  const at::Tensor zero = at::zeros({3}, at::kDouble);
  EXPECT_LT((HardKuma(a, b).p_zero() - StretchedKuma(a, b).cdf(zero)).abs().max().item<double>(),
            1e-15);
  EXPECT_LT(
      (HardKuma(a, b).log_prob(zero).exp() - HardKuma(a, b).p_zero()).abs().max().item<double>(),
      1e-14);
}

TEST(HardKuma, SamplesHaveTheMassesAndTheMean) {
  const int64_t n = 200000;
  at::Tensor u = at::empty({n}, at::kDouble);
  for (int64_t i = 0; i < n; ++i) u.data_ptr<double>()[i] = (static_cast<double>(i) + 0.5) / n;
  for (const auto& [av, bv] :
       std::vector<std::pair<double, double>>{{0.5, 0.5}, {0.2, 1.5}, {2.0, 1.0}}) {
    const HardKuma h(at::full_like(u, av), at::full_like(u, bv));
    const at::Tensor z = h.sample(u);
    EXPECT_NEAR((z == 0).to(at::kDouble).mean().item<double>(), h.p_zero()[0].item<double>(), 1e-5);
    EXPECT_NEAR((z == 1).to(at::kDouble).mean().item<double>(), h.p_one()[0].item<double>(), 1e-5);
    EXPECT_NEAR(z.mean().item<double>(), h.mean()[0].item<double>(), 1e-5);
  }
}

TEST(HardKuma, LogMassAtZeroSurvivesUnderflow) {
  const HardKuma h(at::full({1}, 1e3f), at::full({1}, 2.0f));
  EXPECT_EQ(h.p_zero().item<float>(), 0.0f);
  EXPECT_NEAR(h.log_prob(at::zeros({1})).item<float>(), std::log(2.0) + 1e3 * std::log(1.0 / 12.0),
              0.5);
}

TEST(HardKuma, DecisionTakesTheLikeliestOutcome) {
  // Rows: closed, open, in between.
  const HardKuma h(doubles({0.0708, 1.0, 1.0}), doubles({3.5888, 0.05, 1.0}));
  const at::Tensor argmax = h.decide(Decision::Argmax);
  EXPECT_EQ(argmax[0].item<double>(), 0.0);
  EXPECT_EQ(argmax[1].item<double>(), 1.0);
  EXPECT_NEAR(argmax[2].item<double>(), 0.5, 1e-12);
  EXPECT_TRUE(at::equal(h.decide(Decision::Binary), doubles({0, 1, 1})));
}

}  // namespace
}  // namespace hardkuma
