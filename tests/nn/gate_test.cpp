#include "hardkuma/nn/gate.h"

#include "hardkuma/dist/bernoulli.h"
#include "hardkuma/dist/hard_concrete.h"
#include "hardkuma/dist/kuma.h"
#include "support/gradcheck.h"
#include "support/plain_recurrence.h"

namespace hardkuma {
namespace {

using test::doubles;
using test::expect_gradients;
using test::gradients;
using test::kLengths;
using test::leaves_of;
using test::plain_start;
using test::plain_step;
using test::PlainState;
using test::with_bias;
using test::worst_difference;

constexpr CellKind kCells[] = {CellKind::Lstm, CellKind::Rcnn};
constexpr GateKind kKinds[] = {GateKind::HardKuma, GateKind::Bernoulli, GateKind::HardConcrete};

GateOptions options(int64_t in_features) {
  GateOptions out;
  out.in_features = in_features;
  return out;
}

// The oracles: distributions of dist/, by tensor operations.
std::unique_ptr<GateDistribution> plain_gate(GateKind kind, const at::Tensor& raw) {
  if (kind == GateKind::Bernoulli) return std::make_unique<Bernoulli>(raw.select(1, 0));
  if (kind == GateKind::HardConcrete) return std::make_unique<HardConcrete>(raw.select(1, 0));
  const at::Tensor shapes = at::clamp(at::softplus(raw), 1e-6, 100.0);
  return std::make_unique<HardKuma>(shapes.select(1, 0), shapes.select(1, 1));
}

GateValues plain_gates(GateKind kind, const at::Tensor& raw, const at::Tensor& u) {
  const auto gate = plain_gate(kind, raw);
  return {raw, gate->sample(u), gate->p_zero(), gate->p_nonzero()};
}

GateValues plain_decided(GateKind kind, const at::Tensor& raw, Decision decision) {
  const auto gate = plain_gate(kind, raw);
  return {raw, gate->decide(decision), gate->p_zero(), gate->p_nonzero()};
}

// A random weighting of everything that comes out.
at::Tensor weighed(const GateValues& values, const std::vector<at::Tensor>& weights) {
  return (values.raw * weights[0]).sum() + (values.z * weights[1]).sum() +
         (values.p_zero * weights[2]).sum() + (values.p_nonzero * weights[3]).sum();
}

// One sequence at a time, one step at a time; without u, greedy.
GateValues plain_chain(CellKind cell, GateKind kind, const at::Tensor& states, const at::Tensor& u,
                       const ChainWeights& w, const Packed& packed) {
  const int64_t k = raw_width(kind);
  const int64_t s = w.w_chain.size(1);
  const auto n = static_cast<size_t>(packed.rows());
  std::vector<at::Tensor> raw(n);
  std::vector<at::Tensor> z(n);
  std::vector<at::Tensor> p_zero(n);
  std::vector<at::Tensor> p_nonzero(n);
  for (int64_t i = 0; i < packed.sequences(); ++i) {
    PlainState state = plain_start(s, states.options());
    for (int64_t t = 0; t < packed.lengths[static_cast<size_t>(i)]; ++t) {
      const int64_t row = packed.row(t, i);
      const auto place = static_cast<size_t>(row);
      const at::Tensor input = with_bias(at::mv(w.w_states, states[row]), w.bias);
      raw[place] = input.slice(0, 0, k) + at::mv(w.w_chain.slice(0, 0, k), state.hidden);
      const at::Tensor one = raw[place].unsqueeze(0);
      const GateValues gate = u.defined() ? plain_gates(kind, one, u[row].unsqueeze(0))
                                          : plain_decided(kind, one, Decision::Argmax);
      z[place] = gate.z[0];
      p_zero[place] = gate.p_zero[0];
      p_nonzero[place] = gate.p_nonzero[0];
      state = plain_step(cell, state, input.slice(0, k) + z[place] * w.w_z, w.w_chain.slice(0, k),
                         w.out_bias);
    }
  }
  return {at::stack(raw), at::stack(z), at::stack(p_zero), at::stack(p_nonzero)};
}

// states, then the chain's weights.
std::vector<at::Tensor> chain_inputs(CellKind cell, GateKind kind, const Packed& packed,
                                     at::ScalarType dtype) {
  const auto as = at::TensorOptions().dtype(dtype);
  const int64_t f = 6;
  const int64_t s = 5;
  const int64_t k = raw_width(kind);
  const int64_t g = cell == CellKind::Lstm ? 4 : 3;
  const int64_t r = cell == CellKind::Lstm ? 4 : 1;
  std::vector<at::Tensor> out = {at::randn({packed.rows(), f}, as),
                                 0.5 * at::randn({k + g * s, f}, as),
                                 0.3 * at::randn({k + r * s}, as),
                                 0.6 * at::randn({k + r * s, s}, as), at::randn({g * s}, as)};
  if (cell == CellKind::Rcnn) out.push_back(0.3 * at::randn({s}, as));
  return out;
}

ChainWeights chain_weights(const std::vector<at::Tensor>& in) {
  return {in[1], in[2], in[3], in[4], in.size() > 5 ? in[5] : at::Tensor()};
}

TEST(FusedGates, EqualTheDistributionsAndSoDoGradients) {
  at::manual_seed(5);
  for (const GateKind kind : kKinds) {
    for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
      const auto as = at::TensorOptions().dtype(dtype);
      const int64_t n = 1003;
      const auto leaves = leaves_of({2.0 * at::randn({n, raw_width(kind)}, as)});
      const at::Tensor u = at::rand({n}, as).clamp(1e-6, 1 - 1e-6);
      const std::vector<at::Tensor> weights = {at::randn({n, raw_width(kind)}, as),
                                               at::randn({n}, as), at::randn({n}, as),
                                               at::randn({n}, as)};
      const GateValues a = sample_gates(kind, {}, leaves[0], u);
      const GateValues b = plain_gates(kind, leaves[0], u);
      const double near = dtype == at::kDouble ? 1e-12 : 2e-5;
      EXPECT_TRUE(at::allclose(a.z, b.z, near, near));
      EXPECT_TRUE(at::allclose(a.p_zero, b.p_zero, near, near));
      EXPECT_TRUE(at::allclose(a.p_nonzero, b.p_nonzero, near, near));
      EXPECT_LT(worst_difference(gradients(weighed(a, weights), leaves),
                                 gradients(weighed(b, weights), leaves)),
                dtype == at::kDouble ? 1e-9 : 1e-4);
      for (const Decision decision : {Decision::Argmax, Decision::Binary}) {
        const GateValues fused = decide_gates(kind, {}, leaves[0], decision);
        const GateValues plain = plain_decided(kind, leaves[0].detach(), decision);
        EXPECT_TRUE(at::allclose(fused.z, plain.z, near, near));
        EXPECT_TRUE(at::allclose(fused.p_zero, plain.p_zero, near, near));
      }
    }
  }
}

// Draws stretched less or further, by the distribution that is stretched so, alone and in a chain;
// what is decided stays as published.
TEST(FusedGates, CanBeStretchedDifferently) {
  at::manual_seed(6);
  for (const double edge : {0.01, 0.4}) {
    const Support support{-edge, 1.0 + edge};
    const ShapeBounds bounds{1e-6, 100.0, support};
    const auto leaves = leaves_of({2.0 * at::randn({203, 2}, at::kDouble)});
    const at::Tensor u = at::rand({203}, at::kDouble);
    const GateValues a = sample_gates(GateKind::HardKuma, bounds, leaves[0], u);
    const at::Tensor shapes = at::softplus(leaves[0]);
    const HardKuma plain(shapes.select(1, 0), shapes.select(1, 1), support);
    const GateValues b{leaves[0], plain.sample(u), plain.p_zero(), plain.p_nonzero()};
    const std::vector<at::Tensor> weights = {
        at::randn({203, 2}, at::kDouble), at::randn({203}, at::kDouble),
        at::randn({203}, at::kDouble), at::randn({203}, at::kDouble)};
    EXPECT_TRUE(at::allclose(a.z, b.z, 1e-12, 1e-12));
    EXPECT_TRUE(at::allclose(a.p_nonzero, b.p_nonzero, 1e-12, 1e-12));
    EXPECT_LT(worst_difference(gradients(weighed(a, weights), leaves),
                               gradients(weighed(b, weights), leaves)),
              1e-9);

    for (const int64_t chain : {0, 3}) {
      GateOptions with = options(2);
      with.chain_units = chain;
      Gate gate(with, RandomKey(1));
      gate->to(at::kDouble);
      const Packed packed({5, 3, 1});
      const at::Tensor states = at::randn({packed.rows(), 2}, at::kDouble);
      const at::Tensor uniform = at::rand({packed.rows()}, at::kDouble);
      const GateValues decided = gate->decide(states, Decision::Argmax, packed);
      const GateValues before = gate->sample(states, uniform, packed);
      gate->set_drawn_support(support);
      const GateValues drawn = gate->sample(states, uniform, packed);
      EXPECT_FALSE(at::allclose(drawn.z, before.z));
      const auto given = gate_distribution(GateKind::HardKuma, bounds, drawn.raw);
      EXPECT_TRUE(at::allclose(drawn.z, given->sample(uniform), 1e-10, 1e-10));
      EXPECT_TRUE(at::equal(decided.z, gate->decide(states, Decision::Argmax, packed).z));
    }
  }
}

TEST(FusedGates, GradientsAgreeWithDifferences) {
  const at::Tensor raw = doubles({-2, 0.5, 0.3, -0.4, 1.5, 2.0, 0.0, 0.0}).reshape({4, 2});
  const at::Tensor u = doubles({0.3, 0.5, 0.9, 0.4});
  expect_gradients(
      [&](const auto& in) {
        const GateValues v = sample_gates(GateKind::HardKuma, {}, in[0], u);
        return at::stack({v.z, v.p_zero, v.p_nonzero});
      },
      {raw});
}

// Float32 far outside what training reaches: finite, and within rounding of the same in double.
TEST(FusedGates, HoldAtTheEdges) {
  std::vector<float> raw;
  std::vector<float> uniform;
  for (const float a : {-1000.f, -20.f, -3.f, 0.f, 3.f, 99.f, 1000.f}) {
    for (const float b : {-1000.f, -20.f, -3.f, 0.f, 3.f, 99.f, 1000.f}) {
      for (const float u : {6e-8f, 1e-3f, 0.5f, 0.999f, 1.0f - 6e-8f}) {
        raw.insert(raw.end(), {a, b});
        uniform.push_back(u);
      }
    }
  }
  const at::Tensor u = at::tensor(uniform);
  const auto leaves = leaves_of({at::tensor(raw).reshape({-1, 2})});
  const GateValues v = sample_gates(GateKind::HardKuma, {}, leaves[0], u);
  const GateValues exact =
      plain_gates(GateKind::HardKuma, leaves[0].detach().to(at::kDouble), u.to(at::kDouble));
  EXPECT_LT((v.p_zero - exact.p_zero).abs().max().item<double>(), 1e-5);
  EXPECT_LT((v.p_nonzero - exact.p_nonzero).abs().max().item<double>(), 1e-5);
  EXPECT_LT((v.z - exact.z).abs().max().item<double>(), 1e-3);
  const at::Tensor total = v.z.sum() + v.p_zero.sum() + 2 * v.p_nonzero.sum();
  EXPECT_TRUE(at::isfinite(torch::autograd::grad({total}, leaves)[0]).all().item<bool>());
}

// A gate with one raw value: far out it stays finite and agrees with double.
TEST(FusedGates, HardConcreteHoldsAtTheEdges) {
  std::vector<float> raw;
  std::vector<float> uniform;
  for (const float a : {-1000.f, -20.f, -3.f, 0.f, 3.f, 20.f, 1000.f}) {
    for (const float u : {6e-8f, 1e-3f, 0.5f, 0.999f, 1.0f - 6e-8f}) {
      raw.push_back(a);
      uniform.push_back(u);
    }
  }
  const at::Tensor u = at::tensor(uniform);
  const auto leaves = leaves_of({at::tensor(raw).unsqueeze(1)});
  const GateValues v = sample_gates(GateKind::HardConcrete, {}, leaves[0], u);
  const GateValues exact =
      plain_gates(GateKind::HardConcrete, leaves[0].detach().to(at::kDouble), u.to(at::kDouble));
  EXPECT_LT((v.p_zero - exact.p_zero).abs().max().item<double>(), 1e-5);
  EXPECT_LT((v.z - exact.z).abs().max().item<double>(), 1e-4);
  const at::Tensor total = v.z.sum() + 2 * v.p_nonzero.sum();
  EXPECT_TRUE(at::isfinite(torch::autograd::grad({total}, leaves)[0]).all().item<bool>());
}

TEST(Gate, StartsAsOpenAsItSays) {
  for (const GateKind kind : kKinds) {
    for (const bool dependent : {false, true}) {
      const auto biases = open_biases(kind, dependent);
      const at::Tensor raw = doubles({biases[0], biases[1]}).slice(0, 0, raw_width(kind));
      const double p = plain_gate(kind, raw.unsqueeze(0))->p_zero().item<double>();
      EXPECT_NEAR(p, dependent ? 0.13 : 0.02, 0.006) << static_cast<int>(kind);
      EXPECT_EQ(gate_bounds_penalty(kind, raw.unsqueeze(0)).item<double>(), 0.0);
    }
  }
}

TEST(GateChain, EqualsPlainCompositionAndSoDoGradients) {
  at::manual_seed(6);
  for (const CellKind cell : kCells) {
    for (const GateKind kind : kKinds) {
      for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
        for (const auto& lengths : kLengths) {
          const Packed packed(lengths);
          const int64_t n = packed.rows();
          const auto leaves = leaves_of(chain_inputs(cell, kind, packed, dtype));
          const auto as = leaves[0].options().requires_grad(false);
          const at::Tensor u = 0.02 + 0.96 * at::rand({n}, as);
          const std::vector<at::Tensor> weights = {at::randn({n, raw_width(kind)}, as),
                                                   at::randn({n}, as), at::randn({n}, as),
                                                   at::randn({n}, as)};
          const GateValues a = chain_gates(cell, kind, {}, Decision::Argmax, leaves[0], u,
                                           chain_weights(leaves), packed);
          const GateValues b = plain_chain(cell, kind, leaves[0], u, chain_weights(leaves), packed);
          EXPECT_LT((a.z - b.z).abs().max().item<double>(), dtype == at::kDouble ? 1e-11 : 1e-4);
          EXPECT_LT(worst_difference(gradients(weighed(a, weights), leaves),
                                     gradients(weighed(b, weights), leaves)),
                    dtype == at::kDouble ? 1e-9 : 1e-4)
              << lengths.size() << " sequences";
          const at::NoGradGuard no_grad;
          const GateValues greedy = chain_gates(cell, kind, {}, Decision::Argmax, leaves[0], {},
                                                chain_weights(leaves), packed);
          const GateValues plain =
              plain_chain(cell, kind, leaves[0], {}, chain_weights(leaves), packed);
          EXPECT_LT((greedy.z - plain.z).abs().max().item<double>(), 1e-4);
        }
      }
    }
  }
}

TEST(GateChain, GradientsAgreeWithDifferences) {
  at::manual_seed(7);
  const Packed packed({4, 2});
  for (const CellKind cell : kCells) {
    const at::Tensor u = doubles({0.3, 0.6, 0.45, 0.7, 0.5, 0.35});
    expect_gradients(
        [&](const auto& in) {
          const GateValues v = chain_gates(cell, GateKind::HardKuma, {}, Decision::Argmax, in[0], u,
                                           chain_weights(in), packed);
          return at::stack({v.z, v.p_zero, v.p_nonzero});
        },
        chain_inputs(cell, GateKind::HardKuma, packed, at::kDouble));
  }
}

TEST(GateChain, DecisionsCarryNoGradient) {
  const Packed packed({2, 1});
  const auto leaves =
      leaves_of(chain_inputs(CellKind::Rcnn, GateKind::HardKuma, packed, at::kFloat));
  const GateValues values = chain_gates(CellKind::Rcnn, GateKind::HardKuma, {}, Decision::Argmax,
                                        leaves[0], {}, chain_weights(leaves), packed);
  EXPECT_FALSE(values.z.requires_grad());
  EXPECT_FALSE(values.p_zero.requires_grad());
}

TEST(Gate, TheChainSeesTheZBefore) {
  GateOptions chained = options(4);
  chained.chain_units = 3;
  Gate gate(chained, RandomKey(2));
  const Packed packed({2});
  const at::Tensor states = at::ones({2, 4});
  const at::Tensor low = gate->sample(states, at::tensor({0.01f, 0.5f}), packed).p_zero;
  const at::Tensor high = gate->sample(states, at::tensor({0.99f, 0.5f}), packed).p_zero;
  EXPECT_EQ(low[0].item<float>(), high[0].item<float>());
  EXPECT_NE(low[1].item<float>(), high[1].item<float>());
}

TEST(Gate, StartsAtLnTwoAsPublished) {
  Gate gate(options(4), RandomKey(1));
  const GateValues values = gate->decide(at::zeros({1, 4}), Decision::Argmax, Packed({1}));
  EXPECT_NEAR(values.p_zero.item<float>(), 0.127510f, 1e-5f);
}

TEST(Gate, HasThePublishedParameterCounts) {
  const auto count = [](const GateOptions& options) {
    int64_t total = 0;
    for (const at::Tensor& p : Gate(options, RandomKey(1))->parameters()) total += p.numel();
    return total;
  };
  GateOptions gate = options(400);
  EXPECT_EQ(count(gate), 2 * 401);
  gate.chain_units = 30;
  EXPECT_EQ(count(gate), 358712 - 320800);  // the whole selector less its BiRCNN
  gate.kind = GateKind::Bernoulli;
  EXPECT_EQ(count(gate), 358281 - 320800);
}

TEST(Gate, ShapesAreClamped) {
  Gate gate(options(1), RandomKey(1));
  const auto closed = gate->distribution(at::tensor({-1000.f, 1000.f}).reshape({1, 2}));
  EXPECT_TRUE(std::isfinite(closed->p_zero().item<float>()));
  EXPECT_GT(closed->p_zero().item<float>(), 0.999f);
}

TEST(GateBounds, PullBackGatesWithOneRawValueToo) {
  for (const GateKind kind : {GateKind::Bernoulli, GateKind::HardConcrete}) {
    const at::Tensor far = doubles({-9.0, 9.0}).unsqueeze(1);
    EXPECT_GT(gate_bounds_penalty(kind, far).min().item<double>(), 1.0);
    expect_gradients([kind](const auto& in) { return gate_bounds_penalty(kind, in[0]); }, {far});
  }
}

TEST(GateBounds, AreZeroInsideAndPullBackOutside) {
  const at::Tensor inside = doubles({-2.9, -3.9, 0.9, 3.9}).reshape({2, 2});
  EXPECT_EQ(gate_bounds_penalty(GateKind::HardKuma, inside).sum().item<double>(), 0.0);
  const at::Tensor outside = doubles({2.0, -6.0}).reshape({1, 2}).requires_grad_(true);
  const at::Tensor grad =
      torch::autograd::grad({gate_bounds_penalty(GateKind::HardKuma, outside).sum()}, {outside})[0];
  EXPECT_GT(grad[0][0].item<double>(), 0.0);
  EXPECT_LT(grad[0][1].item<double>(), 0.0);
  expect_gradients([](const auto& in) { return gate_bounds_penalty(GateKind::HardKuma, in[0]); },
                   {doubles({-4.0, 5.0, 2.5, -7.0, 0.0, 0.0}).reshape({3, 2})});
}

// What the bounds promise: inside them the rate can be moved, at every corner.
TEST(GateBounds, GradientOfTheRateLivesAtEveryCorner) {
  Gate gate(options(1), RandomKey(1));
  for (const float a : {-3.0f, 1.0f}) {
    for (const float b : {-4.0f, 4.0f}) {
      const at::Tensor raw = at::tensor({a, b}).reshape({1, 2}).requires_grad_(true);
      const at::Tensor rate = gate->distribution(raw)->p_nonzero().sum();
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
