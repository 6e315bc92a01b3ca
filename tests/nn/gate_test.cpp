#include "hardkuma/nn/gate.h"

#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;
using test::expect_gradients;

TEST(Gate, StartsAtLnTwoAsPublished) {
  Gate gate(GateOptions{.in_features = 4}, RandomKey(1));
  const HardKuma h = gate->distribution(gate->raw_shapes(at::zeros({1, 4})));
  EXPECT_NEAR(h.p_nonzero().item<float>(), 1.0f - 0.127510f, 1e-5f);
}

TEST(Gate, HasTwoMapsToOne) {
  const Gate gate(GateOptions{.in_features = 400}, RandomKey(1));
  int64_t count = 0;
  for (const at::Tensor& p : gate->parameters()) count += p.numel();
  EXPECT_EQ(count, 2 * 401);
}

TEST(Gate, ShapesAreClamped) {
  Gate gate(GateOptions{.in_features = 1}, RandomKey(1));
  const HardKuma closed = gate->distribution(at::tensor({-1000.f, 1000.f}).reshape({1, 2}));
  EXPECT_TRUE(std::isfinite(closed.p_zero().item<float>()));
  EXPECT_GT(closed.p_zero().item<float>(), 0.999f);
}

TEST(GateRails, AreZeroInsideAndPullBackOutside) {
  const at::Tensor inside = doubles({-2.9, -3.9, 0.9, 3.9}).reshape({2, 2});
  EXPECT_EQ(gate_rails(inside).sum().item<double>(), 0.0);
  const at::Tensor outside = doubles({2.0, -6.0}).reshape({1, 2}).requires_grad_(true);
  const at::Tensor grad = torch::autograd::grad({gate_rails(outside).sum()}, {outside})[0];
  EXPECT_GT(grad[0][0].item<double>(), 0.0);
  EXPECT_LT(grad[0][1].item<double>(), 0.0);
  expect_gradients([](const auto& in) { return gate_rails(in[0]); },
                   {doubles({-4.0, 5.0, 2.5, -7.0, 0.0, 0.0}).reshape({3, 2})});
}

// What the rails promise: inside them the rate can be moved, at every corner.
TEST(GateRails, GradientOfTheRateLivesAtEveryCorner) {
  Gate gate(GateOptions{.in_features = 1}, RandomKey(1));
  for (const float a : {-3.0f, 1.0f}) {
    for (const float b : {-4.0f, 4.0f}) {
      const at::Tensor raw = at::tensor({a, b}).reshape({1, 2}).requires_grad_(true);
      const at::Tensor rate = gate->distribution(raw).p_nonzero().sum();
      const at::Tensor grad = torch::autograd::grad({rate}, {raw})[0];
      EXPECT_GT(grad.abs().max().item<float>(), 1e-4f) << a << ", " << b;
    }
  }
}

TEST(Linear, IsAnAffineMap) {
  Linear linear(LinearOptions{3, 2}, RandomKey(5));
  const at::Tensor x = at::randn({4, 3});
  EXPECT_TRUE(at::allclose(linear(x), at::mm(x, linear->weight.t()) + linear->bias));
}

}  // namespace
}  // namespace hardkuma
