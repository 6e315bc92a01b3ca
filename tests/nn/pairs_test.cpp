#include "hardkuma/nn/pairs.h"

#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;

// Two pairs: 3 words against 2, and 1 against 4.
const Pairs kSmallPairs = Pairs::of_lengths({3, 1}, {2, 4});

TEST(Pairs, LiesFirstTextsThenSecondOnes) {
  EXPECT_EQ(kSmallPairs.rows(), 10);
  EXPECT_EQ(kSmallPairs.cell_count(), 10);
  EXPECT_EQ(kSmallPairs.second[0].from, 4);
  EXPECT_EQ(kSmallPairs.second[1].from, 6);
  EXPECT_TRUE(
      at::equal(kSmallPairs.pair_of_cell(), at::tensor({0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, at::kLong)));
  EXPECT_TRUE(at::allclose(kSmallPairs.mean_by_pair(doubles({1, 2, 3, 4, 5, 6, 0, 0, 0, 2})),
                           doubles({3.5, 0.5})));
  const Pairs self = Pairs::with_themselves(kSmallPairs);
  EXPECT_EQ(self.count(), 4);
  EXPECT_EQ(self.cell_count(), 9 + 1 + 4 + 16);
  EXPECT_EQ(self.second[3].from, 6);
}

TEST(Pairs, ASideIsPackedLongestFirstAndComesBackInOrder) {
  const SideBatch side = pack_side(kSmallPairs.second);
  EXPECT_EQ(side.packed.lengths, (std::vector<int64_t>{4, 2}));
  EXPECT_TRUE(at::equal(side.rows, at::tensor({6, 4, 7, 5, 8, 9}, at::kLong)));
  EXPECT_TRUE(at::equal(side.place, at::tensor({1, 0}, at::kLong)));
}

TEST(PairKeys, DependOnTheExampleAlone) {
  const Pairs alone = Pairs::of_lengths({1}, {4});
  const RandomKey key(9);
  const at::Tensor all = cell_uniforms(kSmallPairs, {5, 7}, key, at::kFloat);
  EXPECT_TRUE(at::equal(all.narrow(0, 6, 4), cell_uniforms(alone, {7}, key, at::kFloat)));
  const auto keys = pair_word_keys(kSmallPairs, {5, 7}, key);
  const auto own = pair_word_keys(alone, {7}, key);
  EXPECT_TRUE(at::equal(keys[3], own[0]));
  EXPECT_TRUE(at::equal(keys[6], own[1]));
  EXPECT_FALSE(at::equal(own[0], own[1]));
}

}  // namespace
}  // namespace hardkuma
