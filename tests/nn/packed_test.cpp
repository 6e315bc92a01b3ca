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
  const at::Tensor m = row_dropout_mask(together, {11, 22}, 9, 0.5, key, at::kFloat);
  const at::Tensor n = row_dropout_mask(alone, {22}, 9, 0.5, key, at::kFloat);
  EXPECT_TRUE(at::equal(m[together.row(1, 1)], n[1]));
  EXPECT_TRUE(at::equal(sequence_dropout_mask({5, 6}, 7, 0.3, key, at::kFloat)[1],
                        sequence_dropout_mask({6}, 7, 0.3, key, at::kFloat)[0]));
}

TEST(Packed, DropoutKeepsTheMeanAndRefusesNonsense) {
  const Packed packed({200});
  const at::Tensor mask = row_dropout_mask(packed, {1}, 500, 0.3, RandomKey(1), at::kDouble);
  EXPECT_NEAR(mask.mean().item<double>(), 1.0, 0.01);
  EXPECT_NEAR((mask == 0).to(at::kDouble).mean().item<double>(), 0.3, 0.01);
  EXPECT_THROW(row_dropout_mask(packed, {1}, 5, 1.0, RandomKey(1), at::kFloat), InternalError);
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
