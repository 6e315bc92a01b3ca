#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <cmath>

#include "hardkuma/common/random.h"
#include "hardkuma/common/text.h"
#include "hardkuma/dist/kuma.h"
#include "hardkuma/report/density.h"
#include "reproduce.h"

namespace hardkuma {
namespace {

constexpr int64_t kSamples = 200000;

// Samples by inverse transform, to check the masses by counting.
at::Tensor samples(const HardKuma& gate) {
  const RandomKey key(1);
  at::Tensor u = at::empty({kSamples}, at::kDouble);
  for (int64_t i = 0; i < kSamples; ++i) {
    u.data_ptr<double>()[i] = key.with(static_cast<uint64_t>(i)).uniform_double();
  }
  return gate.sample(u);
}

}  // namespace

std::vector<StudySection> reproduce_distribution(const Reproduction&) {
  const double ln2 = std::log(2.0);
  const std::vector<KumaShape> shapes = {{ln2, ln2}, {0.5, 0.5}, {1, 1}, {2, 2},
                                         {0.1, 0.1}, {5, 1},     {1, 5}, {0.0708, 3.5888}};
  const std::vector<KumaShape> drawn = {{0.5, 0.5}, {1, 1}, {2, 2}, {0.1, 0.1}, {5, 1}, {1, 5}};
  StudySection masses{"Masses and means",
                      fmt::format("Support (-0.1, 1.1). In brackets the shares among {} samples.",
                                  with_commas(kSamples))};
  masses.rows = {{"a", "b", "P(0)", "P(1)", "P(0 < h < 1)", "mean of Kuma", "E[h]"}};
  for (const KumaShape& shape : shapes) {
    const at::Tensor a = at::scalar_tensor(shape.a, at::kDouble);
    const at::Tensor b = at::scalar_tensor(shape.b, at::kDouble);
    const HardKuma gate(a, b);
    const at::Tensor h = samples(gate);
    const auto both = [&](const at::Tensor& exact, const at::Tensor& counted) {
      return fmt::format("{:.6f} ({:.4f})", exact.item<double>(),
                         counted.to(at::kDouble).mean().item<double>());
    };
    masses.rows.push_back({fmt::format("{:.4g}", shape.a), fmt::format("{:.5g}", shape.b),
                           both(gate.p_zero(), h == 0), both(gate.p_one(), h == 1),
                           both(gate.p_between(), (h > 0) & (h < 1)),
                           fmt::format("{:.6f}", gate.underlying_mean().item<double>()),
                           both(gate.mean(), h)});
  }
  StudySection figures{"Figures 2 and 7 to 9"};
  figures.figures = {
      {"figure-2.svg",
       "figure 2: stretched to (-0.1, 1.1), then what lies outside is put on 0 and 1; inside "
       "nothing changes",
       line_chart(rectification_chart({0.5, 0.5}))},
      {"figure-7.svg", "figure 7: Kuma for various a, b", line_chart(kuma_densities(drawn))},
      {"figure-8.svg", "figure 8: HardKuma; upright lines beside 0 and 1 are its masses there",
       line_chart(hardkuma_densities(drawn))},
      {"figure-9.svg", "figure 9: HardKuma, P(H ≤ h)", line_chart(hardkuma_distributions(drawn))}};
  return {masses, figures};
}

}  // namespace hardkuma
