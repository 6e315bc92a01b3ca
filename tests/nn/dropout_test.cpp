#include "hardkuma/nn/dropout.h"

#include "hardkuma/common/error.h"
#include "support/gradcheck.h"

namespace hardkuma {
namespace {

at::Tensor mask(const at::Tensor& keys, int64_t width, double p) {
  return drop(at::ones({keys.size(0), width}, at::kDouble), {p, keys, {}});
}

TEST(Dropout, KeepsTheMeanAndRefusesNonsense) {
  const auto keys = word_keys(Packed({200}), {1}, RandomKey(1));
  const at::Tensor m = mask(keys, 1501, 0.3);
  EXPECT_NEAR(m.mean().item<double>(), 1.0, 0.01);
  EXPECT_NEAR((m == 0).to(at::kDouble).mean().item<double>(), 0.3, 0.01);
  EXPECT_THROW(mask(keys, 5, 1.0), InternalError);
  EXPECT_THROW(drop(at::ones({3, 4}), {0.5, keys, {}}), InternalError);
}

// The same example gets the same draws whatever batch it stands in, and whatever rows are asked.
TEST(Dropout, DependsOnExampleAndPositionAlone) {
  const RandomKey key(7);
  const Packed together({3, 2});
  const at::Tensor all = mask(word_keys(together, {11, 22}, key), 9, 0.5);
  const at::Tensor alone = mask(word_keys(Packed({2}), {22}, key), 9, 0.5);
  EXPECT_TRUE(at::equal(all[together.row(1, 1)], alone[1]));
  const at::Tensor rows = at::tensor({4L, 1L});
  EXPECT_TRUE(
      at::equal(mask(word_keys(together, {11, 22}, key, rows), 9, 0.5), all.index_select(0, rows)));
  EXPECT_TRUE(
      at::equal(mask(text_keys({5, 6}, key), 7, 0.3)[1], mask(text_keys({6}, key), 7, 0.3)[0]));
}

TEST(Dropout, EmbeddingInOnePassEqualsLookingUpAndDropping) {
  const at::Tensor table = at::randn({6, 10});
  const at::Tensor words = at::tensor({3L, 0L, 3L, 5L});
  const Dropout dropout{0.4, word_keys(Packed({4}), {1}, RandomKey(2)), {}};
  EXPECT_TRUE(at::equal(embed(table, words, dropout), drop(table.index_select(0, words), dropout)));
  EXPECT_TRUE(at::equal(embed(table, words), table.index_select(0, words)));
}

TEST(Dropout, GradientGoesWhereTheValueDid) {
  const at::Tensor x = at::rand({4, 10}) + 1;
  x.requires_grad_(true);
  const at::Tensor out = drop(x, {0.4, word_keys(Packed({4}), {1}, RandomKey(2)), {}});
  const at::Tensor grad = torch::autograd::grad({out.sum()}, {x})[0];
  EXPECT_TRUE(at::allclose(grad * x, out));
}

TEST(Rectify, IsAddingRectifyingAndDroppingInOnePass) {
  at::manual_seed(5);
  const auto keys = word_keys(Packed({4}), {1}, RandomKey(2));
  const at::Tensor bias = at::randn({9}, at::kDouble);
  const at::Tensor wide = at::randn({4, 12}, at::kDouble);
  for (const double p : {0.0, 0.4}) {
    const Dropout dropout{p, keys, {}};
    const at::Tensor x = wide.slice(1, 2, 11);  // rows that lie apart
    EXPECT_TRUE(at::allclose(rectify(x, bias, dropout), drop(at::relu(x + bias), dropout)));
    test::expect_gradients([&](const auto& in) { return rectify(in[0], in[1], dropout); },
                           {x.contiguous(), bias});
  }
  EXPECT_TRUE(at::equal(rectify(wide, at::zeros({12}, at::kDouble)), at::relu(wide)));
  EXPECT_THROW(rectify(wide, at::zeros({12}, at::kDouble), {0.5, {}, {}}), InternalError);
}

}  // namespace
}  // namespace hardkuma
