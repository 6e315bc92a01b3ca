#include "hardkuma/nn/least_words.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "hardkuma/nn/gate.h"
#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;

TEST(LeastWords, AreTheShareRoundedDownAndAtLeastOne) {
  EXPECT_EQ(least_words(0.0, 10), 0);
  EXPECT_EQ(least_words(0.1, 0), 0);
  EXPECT_EQ(least_words(0.1, 3), 1);
  EXPECT_EQ(least_words(0.1, 10), 1);
  EXPECT_EQ(least_words(0.1, 29), 2);
  EXPECT_EQ(least_words(0.3, 10), 3);
}

// Texts of four, three and one word; the rows of a packed batch go word by word.
TEST(LackingWords, AreTheLikeliestOfTextsWithTooFew) {
  const Packed packed({4, 3, 1});
  const at::Tensor z = doubles({0, 0, 1, 0, 0.3, 0, 0, 0});
  const at::Tensor p_zero = doubles({0.9, 0.5, 0.1, 0.4, 0.2, 0.4, 0.3, 0.8});
  const at::Tensor half = lacking_words(z, p_zero, packed, 0.5);
  EXPECT_EQ((half * (z != 0)).sum().item<double>(), 0.0);  // selected words are not lacking
  double count[3] = {};
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t t = 0; t < packed.lengths[static_cast<size_t>(i)]; ++t) {
      const int64_t row = packed.row(t, i);
      count[i] += (z[row] != 0).item<bool>() ? 1.0 : half[row].item<double>();
    }
  }
  EXPECT_EQ(count[0], 2.0);
  EXPECT_EQ(count[1], 1.0);
  EXPECT_EQ(count[2], 1.0);
  EXPECT_FALSE(lacking_words(at::ones_like(z), p_zero, packed, 0.5).defined());
  EXPECT_FALSE(lacking_words(at::zeros_like(z), p_zero, packed, 0.0).defined());
}

TEST(LackingWords, TakeTheLowestProbabilityOfZeroAndOfEqualOnesTheFirst) {
  const Packed packed({4});
  const at::Tensor none = at::zeros({4}, at::kDouble);
  EXPECT_TRUE(at::equal(lacking_words(none, doubles({0.9, 0.2, 0.3, 0.2}), packed, 0.1),
                        doubles({0, 1, 0, 0})));
  EXPECT_TRUE(at::equal(lacking_words(none, doubles({0.9, 0.2, 0.3, 0.2}), packed, 0.5),
                        doubles({0, 1, 0, 1})));
}

TEST(NonzeroNoise, DrawsAnOpenGateOfEveryKindHoweverClosedItIs) {
  const at::Tensor u = at::linspace(1e-6, 1.0 - 1e-6, 101, at::kDouble);
  for (const GateKind kind : {GateKind::HardKuma, GateKind::HardConcrete, GateKind::Bernoulli}) {
    for (const double closed : {0.0, 2.0, 4.0}) {
      at::Tensor raw = at::zeros({101, raw_width(kind)}, at::kDouble);
      raw.select(1, 0).fill_(-closed / 2);
      if (kind == GateKind::HardKuma) raw.select(1, 1).fill_(closed);
      const GateValues drawn = sample_gates(kind, {}, raw, u);
      const at::Tensor marked = at::zeros_like(u);
      marked.slice(0, 0, 100).fill_(1.0);
      const at::Tensor noise = nonzero_noise(u, drawn.p_zero, marked);
      const GateValues again = sample_gates(kind, {}, raw, noise);
      EXPECT_GT(again.z.slice(0, 0, 100).min().item<double>(), 0.0) << static_cast<int>(kind);
      EXPECT_EQ(noise[100].item<double>(), u[100].item<double>());  // not marked
    }
  }
}

// The independent route: enumerate all assignments of zero / non-zero.
TEST(ExpectedLack, EqualsTheExpectationOverAllAssignments) {
  const std::vector<double> p_zero = {0.9, 0.2, 0.7, 0.95, 0.5};
  for (int64_t least = 0; least <= 5; ++least) {
    double expected = 0.0;
    for (int mask = 0; mask < 32; ++mask) {
      double probability = 1.0;
      int64_t count = 0;
      for (size_t t = 0; t < 5; ++t) {
        const bool on = (mask >> t & 1) != 0;
        probability *= on ? 1.0 - p_zero[t] : p_zero[t];
        count += on ? 1 : 0;
      }
      expected += probability * static_cast<double>(std::max<int64_t>(0, least - count));
    }
    EXPECT_NEAR(expected_lack(p_zero, least), expected, 1e-12) << least;
  }
  EXPECT_EQ(expected_lack({}, 0), 0.0);
  EXPECT_NEAR(expected_lack({1.0, 1.0}, 1), 1.0, 1e-12);
  const at::Tensor rate = lacking_rate(doubles(p_zero), Packed({5}), 0.4);
  EXPECT_NEAR(rate[0].item<double>(), expected_lack(p_zero, 2) / 5.0, 1e-12);
}

}  // namespace
}  // namespace hardkuma
