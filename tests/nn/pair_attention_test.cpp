#include "hardkuma/nn/pair_attention.h"

#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;
using test::expect_gradients;

// Two pairs: 3 words against 2, and 1 against 4.
const Pairs kPairs = Pairs::of_lengths({3, 1}, {2, 4});

at::Tensor random(at::IntArrayRef shape) {
  return at::randn(shape, at::kDouble);
}

at::Tensor first_of(const at::Tensor& x, size_t pair) {
  return x.narrow(0, kPairs.first[pair].from, kPairs.first[pair].count);
}

at::Tensor second_of(const at::Tensor& x, size_t pair) {
  return x.narrow(0, kPairs.second[pair].from, kPairs.second[pair].count);
}

// The cells of one pair as a matrix.
at::Tensor matrix_of(const at::Tensor& cells, size_t pair) {
  const int64_t count = kPairs.cells[pair + 1] - kPairs.cells[pair];
  return cells.narrow(0, kPairs.cells[pair], count)
      .view({kPairs.first[pair].count, kPairs.second[pair].count});
}

TEST(PairScores, AreTheProductsOfEachPart) {
  at::manual_seed(1);
  const at::Tensor x = random({10, 6});
  const at::Tensor scores = pair_scores(x, kPairs, 2);
  for (size_t p = 0; p < 2; ++p) {
    for (int64_t k = 0; k < 2; ++k) {
      const at::Tensor part = x.narrow(1, 3 * k, 3);
      EXPECT_TRUE(at::allclose(matrix_of(scores[k], p),
                               at::mm(first_of(part, p), second_of(part, p).t()), 1e-12, 1e-12));
    }
  }
  expect_gradients([](const auto& in) { return pair_scores(in[0], kPairs, 2); }, {x});
  // Of a text with itself both ends are the same rows.
  expect_gradients(
      [](const auto& in) { return pair_scores(in[0], Pairs::with_themselves(kPairs), 1); },
      {random({10, 2})}, 1e-6, 1e-5);
}

// z e^s normalised by rows and by columns, in plain tensor operations.
TEST(PairSoftmax, AgreesWithAPlainComposition) {
  at::manual_seed(2);
  const at::Tensor scores = random({10});
  const at::Tensor z = at::rand({10}, at::kDouble) + 0.1;
  const auto plain = [&](const at::Tensor& s, const at::Tensor& gate, int64_t over) {
    std::vector<at::Tensor> out;
    for (size_t p = 0; p < 2; ++p) {
      const at::Tensor x = matrix_of(gate, p) * at::exp(matrix_of(s, p));
      out.push_back((x / x.sum(over, true)).view({-1}));
    }
    return at::cat(out);
  };
  const PairWeights weights = pair_softmax(scores, z, kPairs);
  EXPECT_TRUE(at::allclose(weights.by_row, plain(scores, z, 1), 1e-12, 1e-12));
  EXPECT_TRUE(at::allclose(weights.by_column, plain(scores, z, 0), 1e-12, 1e-12));
  const auto both = [&](const std::vector<at::Tensor>& in) {
    const PairWeights made = pair_softmax(in[0], in[1], kPairs);
    return at::cat({made.by_row, made.by_column});
  };
  expect_gradients(both, {scores, z});
  // The gradients of the plain form, to the last digits.
  const at::Tensor s = scores.clone().requires_grad_(true);
  const at::Tensor g = z.clone().requires_grad_(true);
  const at::Tensor pull = at::arange(20, at::kDouble);
  const auto ours = torch::autograd::grad({(both({s, g}) * pull).sum()}, {s, g});
  const auto theirs =
      torch::autograd::grad({(at::cat({plain(s, g, 1), plain(s, g, 0)}) * pull).sum()}, {s, g});
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-10, 1e-12));
  const PairWeights no_gates = pair_softmax(scores, {}, kPairs);
  EXPECT_TRUE(at::allclose(no_gates.by_row, plain(scores, at::ones_like(z), 1)));
}

TEST(PairSoftmax, ClosedCellsWeighNothingAndHugeScoresDoNotOverflow) {
  const at::Tensor scores = doubles({1e4, -1e4, 800, 900, 300, 4, 1e4, 50, 50, 0});
  const at::Tensor z = doubles({0, 0, 0.5, 0.25, 1, 0, 0, 1, 1, 0});
  const PairWeights w = pair_softmax(scores, z, kPairs);
  EXPECT_TRUE(at::allclose(w.by_row, doubles({0, 0, 0, 1, 1, 0, 0, 0.5, 0.5, 0})));
  EXPECT_TRUE(at::allclose(w.by_column, doubles({0, 0, 1, 1, 0, 0, 0, 1, 1, 0})));
  const at::Tensor s = scores.clone().requires_grad_(true);
  const at::Tensor g = z.clone().requires_grad_(true);
  const PairWeights made = pair_softmax(s, g, kPairs);
  for (const at::Tensor& grad :
       torch::autograd::grad({(made.by_row * at::arange(10, at::kDouble)).sum() +
                              (made.by_column * at::arange(10, at::kDouble)).sum()},
                             {s, g})) {
    EXPECT_TRUE(at::isfinite(grad).all().item<bool>());
  }
}

TEST(PairMix, AddsTheOtherTextsRows) {
  at::manual_seed(3);
  const at::Tensor x = random({10, 3});
  const at::Tensor by_row = random({10});
  const at::Tensor by_column = random({10});
  const at::Tensor mixed = pair_mix({by_row, by_column}, x, kPairs);
  for (size_t p = 0; p < 2; ++p) {
    EXPECT_TRUE(at::allclose(first_of(mixed, p), at::mm(matrix_of(by_row, p), second_of(x, p))));
    EXPECT_TRUE(
        at::allclose(second_of(mixed, p), at::mm(matrix_of(by_column, p).t(), first_of(x, p))));
  }
  expect_gradients(
      [](const auto& in) {
        return pair_mix({in[0], in[1]}, in[2], kPairs);
      },
      {by_row, by_column, x});
  expect_gradients(
      [](const auto& in) {
        return pair_mix({in[0], {}}, in[1], kPairs);
      },
      {by_row, x});
  // Rows that lie apart, added to something.
  const at::Tensor wide = random({10, 7});
  const at::Tensor base = random({10, 3});
  EXPECT_TRUE(
      at::allclose(pair_mix({by_row, by_column}, wide.slice(1, 2, 5), kPairs, base),
                   base + pair_mix({by_row, by_column}, wide.slice(1, 2, 5).contiguous(), kPairs)));
  expect_gradients(
      [](const auto& in) {
        return pair_mix({in[0], in[1]}, in[2].slice(1, 2, 5), kPairs, in[3]);
      },
      {by_row, by_column, wide, base});
}

TEST(PairSums, AddEachTextsRows) {
  at::manual_seed(4);
  const at::Tensor x = random({10, 3});
  const at::Tensor sums = pair_sums(x, kPairs);
  for (size_t p = 0; p < 2; ++p) {
    EXPECT_TRUE(at::allclose(sums[static_cast<int64_t>(p)],
                             at::cat({first_of(x, p).sum(0), second_of(x, p).sum(0)})));
  }
  expect_gradients([](const auto& in) { return pair_sums(in[0], kPairs); }, {x});
}

}  // namespace
}  // namespace hardkuma
