#include "hardkuma/nn/attention.h"

#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;
using test::expect_gradients;

// Rows of two texts: 3 and 2 words, one of one text after one of the other.
const Packed kPacked({3, 2});

TEST(SoftmaxOverWords, IsASoftmaxOfEachTextAlone) {
  const at::Tensor scores = doubles({0.3, -1.0, 2.0, 500.0, -700.0});
  const at::Tensor weights = softmax_over_words(scores, kPacked);
  const at::Tensor first = at::softmax(doubles({0.3, 2.0, -700.0}), 0);
  const at::Tensor second = at::softmax(doubles({-1.0, 500.0}), 0);
  const at::Tensor expected = at::stack({first[0], second[0], first[1], second[1], first[2]});
  EXPECT_TRUE(at::allclose(weights, expected, 1e-12, 1e-12));
  expect_gradients([](const auto& in) { return softmax_over_words(in[0], kPacked); },
                   {doubles({0.3, -1.0, 2.0, 0.7, -0.2})});
}

TEST(WeightedSum, AddsTheStatesOfEachText) {
  at::manual_seed(3);
  const at::Tensor states = at::randn({5, 4}, at::kDouble);
  const at::Tensor weights = at::rand({5}, at::kDouble);
  const at::Tensor sums = weighted_sum(weights, states, kPacked);
  EXPECT_TRUE(at::allclose(
      sums[0], weights[0] * states[0] + weights[2] * states[2] + weights[4] * states[4]));
  EXPECT_TRUE(at::allclose(sums[1], weights[1] * states[1] + weights[3] * states[3]));
  expect_gradients([](const auto& in) { return weighted_sum(in[0], in[1], kPacked); },
                   {weights, states});
}

TEST(TopWords, TakesTheShareOfEachTextAndAtLeastOneWord) {
  const at::Tensor scores = doubles({0.3, 9.0, 2.0, 8.0, 1.0});
  EXPECT_TRUE(at::equal(top_words(scores, kPacked, 0.01), doubles({0, 1, 1, 0, 0})));
  EXPECT_TRUE(at::equal(top_words(scores, kPacked, 0.67), doubles({0, 1, 1, 0, 1})));
  EXPECT_TRUE(at::equal(top_words(scores, kPacked, 1.0), at::ones({5}, at::kDouble)));
  EXPECT_TRUE(at::equal(top_words(at::zeros({5}, at::kDouble), kPacked, 0.34),
                        doubles({1, 1, 0, 0, 0})));  // ties go to the earlier word
}

}  // namespace
}  // namespace hardkuma
