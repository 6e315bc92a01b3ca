#include "hardkuma/nn/packed.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

TEST(Packed, LaysRowsTimeMajorWithoutPadding) {
  const Packed packed({4, 2, 2, 1});
  EXPECT_EQ(packed.rows(), 9);
  EXPECT_EQ(packed.sizes, (std::vector<int64_t>{4, 3, 1, 1}));
  EXPECT_EQ(packed.offsets, (std::vector<int64_t>{0, 4, 7, 8}));
  EXPECT_TRUE(at::equal(packed.last_rows(), at::tensor({8L, 5L, 6L, 3L})));
  EXPECT_TRUE(
      at::equal(packed.sequence_of_row(), at::tensor({0L, 1L, 2L, 3L, 0L, 1L, 2L, 0L, 0L})));
  const auto [first, second] = packed.neighbours();
  EXPECT_TRUE(at::equal(first, at::tensor({0L, 1L, 2L, 4L, 7L})));
  EXPECT_TRUE(at::equal(second, at::tensor({4L, 5L, 6L, 7L, 8L})));
  EXPECT_NEAR(packed.inverse_length(at::kDouble).sum().item<double>(), 4.0, 1e-12);
}

TEST(Packed, RefusesLengthsThatGrowOrVanish) {
  EXPECT_THROW(Packed({1, 2}), InternalError);
  EXPECT_THROW(Packed({1, 0}), InternalError);
  EXPECT_EQ(Packed().rows(), 0);
}

// The same example gets the same draws whatever batch it stands in.
TEST(Packed, NoiseDependsOnExampleAndPositionAlone) {
  const RandomKey key(7);
  const Packed together({3, 2});
  const Packed alone({2});
  const at::Tensor a = row_uniforms(together, {11, 22}, key, at::kFloat);
  const at::Tensor b = row_uniforms(alone, {22}, key, at::kFloat);
  EXPECT_EQ(a[together.row(0, 1)].item<float>(), b[0].item<float>());
  EXPECT_EQ(a[together.row(1, 1)].item<float>(), b[1].item<float>());
  EXPECT_NE(a[0].item<float>(), a[1].item<float>());
}

TEST(Packed, KeepsTheNonzeroWordsOfEachSequenceInOrder) {
  const Packed packed({4, 3, 2, 1});  // rows by step: 0 1 2 3 | 4 5 6 | 7 8 | 9
  at::Tensor z = at::zeros({10});
  for (const int64_t row : {4, 1, 5, 8}) z[row] = 0.5;  // sequence 0 once, 1 always, 2 and 3 never
  const SelectedRows selected = select_nonzero(packed, z);
  EXPECT_EQ(selected.packed.lengths, (std::vector<int64_t>{3, 1}));
  EXPECT_TRUE(at::equal(selected.sequences, at::tensor({1L, 0L})));
  EXPECT_TRUE(at::equal(selected.rows, at::tensor({1L, 4L, 5L, 8L})));
  EXPECT_TRUE(at::equal(nonzero_rows(z), at::tensor({1L, 4L, 5L, 8L})));
  const SelectedRows nothing = select_nonzero(packed, at::zeros({10}));
  EXPECT_EQ(nothing.packed.rows(), 0);
  EXPECT_EQ(nothing.sequences.numel(), 0);
}

TEST(Packed, UniformsAreOpenAndUniform) {
  const Packed packed({50000});
  const at::Tensor u = row_uniforms(packed, {3}, RandomKey(1), at::kFloat);
  EXPECT_GT(u.min().item<float>(), 0.0f);
  EXPECT_LT(u.max().item<float>(), 1.0f);
  EXPECT_NEAR(u.mean().item<float>(), 0.5f, 0.01f);
  EXPECT_NEAR(u.var().item<float>(), 1.0f / 12.0f, 0.002f);
}

}  // namespace
}  // namespace hardkuma
