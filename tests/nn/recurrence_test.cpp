#include "hardkuma/nn/recurrence.h"

#include "hardkuma/common/error.h"
#include "hardkuma/nn/bi_encoder.h"
#include "support/gradcheck.h"
#include "support/plain_recurrence.h"

namespace hardkuma {
namespace {

using test::expect_gradients;
using test::gradients;
using test::kLengths;
using test::leaves_of;
using test::plain_bi_recurrence;
using test::worst_difference;

constexpr CellKind kCells[] = {CellKind::Lstm, CellKind::Rcnn};
constexpr ReadingRule kRules[] = {ReadingRule::Fade, ReadingRule::Published};

// x, w_ih, w_hh, bias and, for the RCNN, out_bias.
std::vector<at::Tensor> random_inputs(CellKind cell, const Packed& packed, int64_t d, int64_t h,
                                      at::ScalarType dtype) {
  const auto options = at::TensorOptions().dtype(dtype);
  const bool lstm = cell == CellKind::Lstm;
  const int64_t g = lstm ? 4 : 3;
  const int64_t r = lstm ? 4 : 1;
  std::vector<at::Tensor> out = {
      at::randn({packed.rows(), d}, options), 0.5 * at::randn({2 * g * h, d}, options),
      0.5 * at::randn({2, r * h, h}, options), 0.3 * at::randn({2, r * h}, options)};
  if (!lstm) out.push_back(0.3 * at::randn({2, h}, options));
  return out;
}

RecurrentWeights weights_of(const std::vector<at::Tensor>& in) {
  return {in[1], in[2], in[3], in.size() > 4 ? in[4] : at::Tensor()};
}

at::Tensor fused(CellKind cell, const RecurrentInput& input, const RecurrentWeights& weights,
                 const Packed& packed) {
  return bi_recurrence(cell, input, weights, packed);
}

double tolerance(at::ScalarType dtype) {
  return dtype == at::kDouble ? 1e-9 : 1e-4;
}

TEST(Recurrence, EqualsPlainCompositionAndSoDoGradients) {
  at::manual_seed(2);
  for (const CellKind cell : kCells) {
    for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
      for (const auto& lengths : kLengths) {
        const Packed packed(lengths);
        const auto leaves = leaves_of(random_inputs(cell, packed, 5, 17, dtype));
        const at::Tensor a = fused(cell, {leaves[0], {}, {}, {}}, weights_of(leaves), packed);
        const at::Tensor b = plain_bi_recurrence(cell, leaves[0], {}, weights_of(leaves), packed);
        EXPECT_LT((a - b).abs().max().item<double>(), dtype == at::kDouble ? 1e-12 : 1e-5);
        const at::Tensor weight = at::randn(a.sizes(), a.options());
        EXPECT_LT(worst_difference(torch::autograd::grad({(a * weight).sum()}, leaves),
                                   torch::autograd::grad({(b * weight).sum()}, leaves)),
                  tolerance(dtype))
            << lengths.size() << " sequences";
      }
    }
  }
}

TEST(Recurrence, GradientsAgreeWithDifferences) {
  at::manual_seed(3);
  const Packed packed({3, 2, 1});
  for (const CellKind cell : kCells) {
    expect_gradients(
        [&](const auto& in) {
          return fused(cell, {in[0], {}, {}, {}}, weights_of(in), packed);
        },
        random_inputs(cell, packed, 2, 2, at::kDouble));
  }
}

TEST(Recurrence, GradientsOfFadedStatesAgreeWithDifferences) {
  at::manual_seed(5);
  const Packed packed({3, 2, 1});
  for (const CellKind cell : kCells) {
    auto inputs = random_inputs(cell, packed, 2, 2, at::kDouble);
    inputs.push_back(0.1 + 0.8 * at::rand({packed.rows()}, at::kDouble));
    expect_gradients(
        [&](const auto& in) {
          const at::Tensor none;
          const RecurrentWeights weights{in[1], in[2], in[3], in.size() > 5 ? in[4] : none};
          return fused(cell, {in[0], none, none, in.back()}, weights, packed);
        },
        inputs);
  }
}

// What "the word is not there" means: not a bit changes when it is deleted from the text.
TEST(Recurrence, DeletingWordsWithZeroZChangesNoBit) {
  at::manual_seed(6);
  const Packed whole({6, 5, 3});
  // By step: {0.4, 0, 1, 1, 0, 0.3}, {0, 1, 0.7, 0, 1} and {1, 0, 0.2}.
  const at::Tensor z = at::tensor(
      {0.4f, 0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 1.0f, 0.7f, 0.2f, 1.0f, 0.0f, 0.0f, 1.0f, 0.3f});
  std::vector<int64_t> lengths(3, 0);
  for (int64_t row = 0; row < whole.rows(); ++row) {
    const auto sequence = static_cast<size_t>(whole.sequence_of_row()[row].item<int64_t>());
    lengths[sequence] += z[row].item<float>() != 0.0f ? 1 : 0;
  }
  ASSERT_EQ(lengths, (std::vector<int64_t>{4, 3, 2}));  // still sorted
  const Packed kept(lengths);
  const at::Tensor x = at::randn({whole.rows(), 5});
  // Time-major rows of the whole, by text, then by the text's own order.
  std::vector<int64_t> source;
  for (int64_t t = 0; t < kept.steps(); ++t) {
    for (int64_t i = 0; i < kept.sizes[static_cast<size_t>(t)]; ++i) {
      int64_t seen = -1;
      int64_t step = -1;
      while (seen < t) seen += z[whole.row(++step, i)].item<float>() != 0.0f ? 1 : 0;
      source.push_back(whole.row(step, i));
    }
  }
  const at::Tensor from = at::tensor(source, at::kLong);
  for (const CellKind cell : kCells) {
    BiEncoder encoder(cell, EncoderOptions{5, 7, ReadingRule::Fade}, RandomKey(4));
    const auto summary = [&](const at::Tensor& words, const at::Tensor& weights,
                             const Packed& packed) {
      const Reading reading = encoder->read(packed, weights);
      return encoder->summary(words.index_select(0, reading.rows),
                              weights.index_select(0, reading.rows), reading);
    };
    EXPECT_TRUE(at::equal(summary(x, z, whole),
                          summary(x.index_select(0, from), z.index_select(0, from), kept)));
    // With z = 1 it is the plain cell.
    EXPECT_TRUE(at::equal(summary(x, at::ones({whole.rows()}), whole), encoder->summary(x, whole)));
  }
}

// The classifier's case: words weighted by z. A z of 0 gets no gradient from us, since a rectified
// gate passes none; everything else must agree with the plain composition.
void expect_final_states_with_z(CellKind cell, ReadingRule rule, at::ScalarType dtype,
                                const Packed& packed, const at::Tensor& z_values) {
  const int64_t d = 5;
  const int64_t h = 11;
  BiEncoder encoder(cell, EncoderOptions{d, h, rule}, RandomKey(3));
  encoder->to(dtype);
  {
    const at::NoGradGuard no_grad;
    for (auto& p : encoder->parameters()) p.copy_(0.4 * at::randn(p.sizes(), p.options()));
  }
  const auto options = at::TensorOptions().dtype(dtype);
  const at::Tensor x = at::randn({packed.rows(), d}, options).requires_grad_(true);
  const at::Tensor z = z_values.to(dtype).clone().requires_grad_(true);
  std::vector<at::Tensor> leaves = encoder->parameters();
  leaves.push_back(x);
  leaves.push_back(z);

  const Reading reading = encoder->read(packed, z);
  const at::Tensor a =
      encoder->summary(x.index_select(0, reading.rows), z.index_select(0, reading.rows), reading);
  const auto named = encoder->named_parameters();
  RecurrentWeights weights{named["w_ih"], named["w_hh"], {}, {}};
  if (cell == CellKind::Lstm) {
    weights.bias = (named["b_ih"] + named["b_hh"]).view({2, -1});
  } else {
    weights.bias = named["b_gate"];
    weights.out_bias = named["b_out"];
  }
  const at::Tensor b = final_states(plain_bi_recurrence(cell, x, z, weights, packed, rule), packed);
  EXPECT_LT((a - b).abs().max().item<double>(), dtype == at::kDouble ? 1e-12 : 1e-5)
      << (cell == CellKind::Lstm ? "LSTM " : "RCNN ") << packed.sequences() << " "
      << reading.rows.size(0);
  const at::Tensor weight = at::randn(a.sizes(), options);
  if (!a.requires_grad()) return;  // what reads nothing is constant
  auto ours = gradients((a * weight).sum(), leaves);
  auto plain = gradients((b * weight).sum(), leaves);
  const at::Tensor selected = (z.detach() != 0).to(dtype);
  ours.back() = ours.back() * selected;
  plain.back() = plain.back() * selected;
  EXPECT_LT(worst_difference(ours, plain), tolerance(dtype));
}

TEST(Recurrence, SkippingUnselectedWordsChangesNothing) {
  at::manual_seed(4);
  for (const CellKind cell : kCells) {
    for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
      for (const auto& lengths : kLengths) {
        const Packed packed(lengths);
        const int64_t n = packed.rows();
        const at::Tensor some = at::rand({n}) * (at::rand({n}) < 0.4);
        for (const at::Tensor& z : {some, at::zeros({n}), at::ones({n})}) {
          for (const ReadingRule rule : kRules) {
            expect_final_states_with_z(cell, rule, dtype, packed, z);
          }
        }
      }
    }
  }
}

// Prediction is its own loop over shared projections; the training pass is its oracle.
TEST(Recurrence, PredictionEqualsTheTrainingPass) {
  at::manual_seed(8);
  for (const auto& [cell, rule] : {std::pair{CellKind::Lstm, ReadingRule::Fade},
                                   std::pair{CellKind::Lstm, ReadingRule::Published},
                                   std::pair{CellKind::Rcnn, ReadingRule::Fade},
                                   std::pair{CellKind::Rcnn, ReadingRule::Published}}) {
    BiEncoder encoder(cell, EncoderOptions{6, 19, rule}, RandomKey(3));
    for (const auto& lengths : kLengths) {
      const Packed packed(lengths);
      const int64_t n = packed.rows();
      const at::NoGradGuard no_grad;
      const at::Tensor x = at::randn({n, 6});
      const at::Tensor projected = encoder->project(x);
      const auto pointers = [&](const at::Tensor& rows) {
        std::vector<const float*> out;
        for (int64_t i = 0; i < rows.size(0); ++i) {
          out.push_back(projected.data_ptr<float>() +
                        rows.data_ptr<int64_t>()[i] * projected.size(1));
        }
        return out;
      };
      const at::Tensor all = at::arange(n, at::kLong);
      EXPECT_TRUE(at::allclose(encoder->states_of(pointers(all), packed),
                               encoder->states(x, packed), 1e-4, 1e-5));
      EXPECT_TRUE(at::allclose(encoder->summary_of(pointers(all), packed),
                               encoder->summary(x, packed), 1e-4, 1e-5));
      const at::Tensor some = at::rand({n}) * (at::rand({n}) < 0.4);
      for (const at::Tensor& z : {some, at::zeros({n}), at::ones({n})}) {
        const Reading reading = encoder->read(packed, z);
        const at::Tensor chosen = z.index_select(0, reading.rows);
        EXPECT_TRUE(at::allclose(encoder->summary_of(pointers(reading.rows), chosen, reading),
                                 encoder->summary(x.index_select(0, reading.rows), chosen, reading),
                                 1e-4, 1e-5));
      }
    }
  }
}

// Long enough for several runs of steps, in both directions, with gradients to everything.
TEST(Recurrence, RunsOfStepsJoinUp) {
  at::manual_seed(9);
  std::vector<int64_t> lengths(40, 35);
  for (size_t i = 0; i < lengths.size(); ++i) lengths[i] -= static_cast<int64_t>(i / 2);
  const Packed packed(lengths);
  ASSERT_GT(packed.rows(), 1000);
  for (const CellKind cell : kCells) {
    const auto leaves = leaves_of(random_inputs(cell, packed, 3, 5, at::kDouble));
    const at::Tensor a = fused(cell, {leaves[0], {}, {}, {}}, weights_of(leaves), packed);
    const at::Tensor b = plain_bi_recurrence(cell, leaves[0], {}, weights_of(leaves), packed);
    EXPECT_LT((a - b).abs().max().item<double>(), 1e-11);
    const at::Tensor weight = at::randn(a.sizes(), a.options());
    EXPECT_LT(worst_difference(gradients((a * weight).sum(), leaves),
                               gradients((b * weight).sum(), leaves)),
              1e-9);
    const at::Tensor z = at::rand({packed.rows()}) * (at::rand({packed.rows()}) < 0.9);
    ASSERT_GT((z != 0).sum().item<int64_t>(), 600);  // several runs for the RCNN too
    for (const ReadingRule rule : kRules) {
      expect_final_states_with_z(cell, rule, at::kDouble, packed, z);
    }
  }
}

TEST(Recurrence, FloatSurvivesHugeInputs) {
  const Packed packed({2, 1});
  for (const CellKind cell : kCells) {
    auto in = random_inputs(cell, packed, 3, 4, at::kFloat);
    in[0] = in[0] * 1e6;
    const auto leaves = leaves_of(in);
    const at::Tensor out = fused(cell, {leaves[0], {}, {}, {}}, weights_of(leaves), packed);
    EXPECT_TRUE(at::isfinite(out).all().item<bool>());
    EXPECT_LE(out.abs().max().item<float>(), 1.0f);
    for (const at::Tensor& grad : torch::autograd::grad({out.sum()}, leaves)) {
      EXPECT_TRUE(at::isfinite(grad).all().item<bool>());
    }
  }
}

TEST(Recurrence, RefusesInputsThatDoNotFit) {
  const Packed packed({2, 1});
  const auto in = random_inputs(CellKind::Lstm, packed, 3, 4, at::kFloat);
  const at::Tensor two = in[0].slice(0, 0, 2);
  const at::Tensor none;
  const at::Tensor ones = at::ones({3});
  EXPECT_THROW(fused(CellKind::Lstm, {two, none, none, none}, weights_of(in), packed),
               InternalError);
  EXPECT_THROW(
      fused(CellKind::Lstm, {two, none, at::tensor({0L, 1L}), none}, weights_of(in), packed),
      InternalError);
  EXPECT_THROW(fused(CellKind::Lstm, {in[0], ones, none, ones}, weights_of(in), packed),
               InternalError);
  EXPECT_THROW(fused(CellKind::Lstm, {in[0], none, none, at::ones({2})}, weights_of(in), packed),
               InternalError);
}

TEST(Recurrence, FinalStatesAreLastAndFirstRows) {
  const Packed packed({3, 1});
  const at::Tensor states = at::arange(16, at::kFloat).reshape({4, 4});
  const at::Tensor expected =
      at::tensor({12.f, 13.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f}).reshape({2, 4});
  EXPECT_TRUE(at::equal(final_states(states, packed), expected));
}

TEST(BiEncoder, HasThePublishedParameterCounts) {
  const auto count = [](CellKind cell) {
    int64_t total = 0;
    for (const at::Tensor& p :
         BiEncoder(cell, EncoderOptions{200, 200}, RandomKey(1))->parameters()) {
      total += p.numel();
    }
    return total;
  };
  EXPECT_EQ(count(CellKind::Lstm), 643200);
  EXPECT_EQ(count(CellKind::Rcnn), 320800);
}

}  // namespace
}  // namespace hardkuma
