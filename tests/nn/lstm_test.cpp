#include "hardkuma/nn/lstm.h"

#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::expect_gradients;

// The oracle: one sequence at a time, one step at a time, plain tensor operations.
at::Tensor plain_bi_lstm(const at::Tensor& x, const at::Tensor& w_ih, const at::Tensor& w_hh,
                         const at::Tensor& b_ih, const at::Tensor& b_hh, const Packed& packed) {
  const int64_t h = w_hh.size(2);
  std::vector<at::Tensor> rows(static_cast<size_t>(packed.rows()));
  for (int64_t i = 0; i < packed.sequences(); ++i) {
    const int64_t length = packed.lengths[static_cast<size_t>(i)];
    std::vector<at::Tensor> halves[2];
    for (int d = 0; d < 2; ++d) {
      halves[d].resize(static_cast<size_t>(length));
      at::Tensor hidden = at::zeros({h}, x.options());
      at::Tensor cell = at::zeros({h}, x.options());
      for (int64_t s = 0; s < length; ++s) {
        const int64_t t = d == 0 ? s : length - 1 - s;
        const auto gates = (at::mv(w_ih.slice(0, d * 4 * h, (d + 1) * 4 * h), x[packed.row(t, i)]) +
                            at::mv(w_hh[d], hidden) + b_ih.slice(0, d * 4 * h, (d + 1) * 4 * h) +
                            b_hh.slice(0, d * 4 * h, (d + 1) * 4 * h))
                               .chunk(4);
        cell = at::sigmoid(gates[1]) * cell + at::sigmoid(gates[0]) * at::tanh(gates[2]);
        hidden = at::sigmoid(gates[3]) * at::tanh(cell);
        halves[d][static_cast<size_t>(t)] = hidden;
      }
    }
    for (int64_t t = 0; t < length; ++t) {
      rows[static_cast<size_t>(packed.row(t, i))] =
          at::cat({halves[0][static_cast<size_t>(t)], halves[1][static_cast<size_t>(t)]});
    }
  }
  return at::stack(rows);
}

std::vector<at::Tensor> random_inputs(const Packed& packed, int64_t d, int64_t h,
                                      at::ScalarType dtype) {
  const auto options = at::TensorOptions().dtype(dtype);
  return {at::randn({packed.rows(), d}, options), 0.5 * at::randn({8 * h, d}, options),
          0.5 * at::randn({2, 4 * h, h}, options), 0.1 * at::randn({8 * h}, options),
          0.1 * at::randn({8 * h}, options)};
}

const std::vector<std::vector<int64_t>> kLengths = {
    {1}, {7}, {1, 1, 1}, {5, 5, 5}, {9, 4, 4, 2, 1}, {3, 2, 2, 2, 1, 1}};

TEST(BiLstm, EqualsPlainCompositionInDouble) {
  at::manual_seed(1);
  for (const auto& lengths : kLengths) {
    const Packed packed(lengths);
    const auto in = random_inputs(packed, 3, 4, at::kDouble);
    const at::Tensor fused = bi_lstm(in[0], in[1], in[2], in[3], in[4], packed);
    const at::Tensor plain = plain_bi_lstm(in[0], in[1], in[2], in[3], in[4], packed);
    EXPECT_LT((fused - plain).abs().max().item<double>(), 1e-12);
  }
}

TEST(BiLstm, GradientsEqualPlainComposition) {
  at::manual_seed(2);
  for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
    for (const auto& lengths : kLengths) {
      const Packed packed(lengths);
      std::vector<at::Tensor> leaves;
      for (const at::Tensor& in : random_inputs(packed, 5, 17, dtype))
        leaves.push_back(in.requires_grad_(true));
      const at::Tensor weight = at::randn({packed.rows(), 34}, at::TensorOptions().dtype(dtype));
      const auto gradient = [&](auto&& f) {
        const at::Tensor out = f(leaves[0], leaves[1], leaves[2], leaves[3], leaves[4], packed);
        return torch::autograd::grad({(out * weight).sum()}, leaves);
      };
      const auto fused = gradient(bi_lstm);
      const auto plain = gradient(plain_bi_lstm);
      for (size_t i = 0; i < fused.size(); ++i) {
        const double scale = std::max(1e-6, plain[i].abs().max().item<double>());
        const double error = (fused[i] - plain[i]).abs().max().item<double>() / scale;
        EXPECT_LT(error, dtype == at::kDouble ? 1e-9 : 1e-4)
            << "input " << i << ", " << lengths.size() << " sequences";
      }
    }
  }
}

TEST(BiLstm, GradientsAgreeWithDifferences) {
  at::manual_seed(3);
  const Packed packed({3, 2, 1});
  expect_gradients(
      [&](const auto& in) { return bi_lstm(in[0], in[1], in[2], in[3], in[4], packed); },
      random_inputs(packed, 2, 2, at::kDouble));
}

TEST(BiLstm, FloatSurvivesHugeInputs) {
  const Packed packed({2, 1});
  auto in = random_inputs(packed, 3, 4, at::kFloat);
  in[0] = in[0] * 1e6;
  const at::Tensor out = bi_lstm(in[0], in[1], in[2], in[3], in[4], packed);
  EXPECT_TRUE(at::isfinite(out).all().item<bool>());
  EXPECT_LE(out.abs().max().item<float>(), 1.0f);
}

TEST(BiLstm, HasThePublishedParameterCount) {
  const BiLstm lstm(BiLstmOptions{200, 200}, RandomKey(1));
  int64_t count = 0;
  for (const at::Tensor& p : lstm->parameters()) count += p.numel();
  EXPECT_EQ(count, 643200);
}

TEST(BiLstm, NoGradientTowardsInputsThatNeedNone) {
  const Packed packed({2});
  auto in = random_inputs(packed, 3, 4, at::kFloat);
  in[1].requires_grad_(true);
  const at::Tensor out = bi_lstm(in[0], in[1], in[2], in[3], in[4], packed);
  EXPECT_TRUE(torch::autograd::grad({out.sum()}, {in[1]})[0].defined());
}

TEST(BiLstm, FinalStatesAreLastAndFirstRows) {
  const Packed packed({3, 1});
  const at::Tensor states = at::arange(16, at::kFloat).reshape({4, 4});
  const at::Tensor expected =
      at::tensor({12.f, 13.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f}).reshape({2, 4});
  EXPECT_TRUE(at::equal(final_states(states, packed), expected));
}

}  // namespace
}  // namespace hardkuma
