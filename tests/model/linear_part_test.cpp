#include "hardkuma/model/linear_part.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "hardkuma/common/random.h"
#include "hardkuma/nn/linear.h"
#include "support/gradcheck.h"

namespace hardkuma {
namespace {

using test::doubles;
using test::expect_gradients;

Batch batch_of(const std::vector<std::vector<int32_t>>& texts) {
  std::vector<Example> set(texts.size());
  std::vector<int64_t> all;
  for (size_t i = 0; i < texts.size(); ++i) {
    set[i].words = texts[i];
    all.push_back(static_cast<int64_t>(i));
  }
  return pack(set, all);
}

LinearFit random_fit(int64_t words, int64_t outputs) {
  LinearFit fit;
  const auto weights = [&](uint64_t seed) {
    return LinearWeights{uniform_tensor({words, outputs}, 1.0, RandomKey(seed)),
                         uniform_tensor({outputs}, 1.0, RandomKey(seed + 1))};
  };
  fit.all = weights(1);
  for (uint64_t fold = 0; fold < 2; ++fold) fit.folds.push_back(weights(10 + 2 * fold));
  fit.share = 0.25;
  return fit;
}

TEST(LinearPart, AddsItsWordsWeightsAndEachTextHasTheFoldThatLacksIt) {
  LinearPart part(6, 2);
  const LinearFit fit = random_fit(6, 2);
  part->set(fit);
  const Batch batch = batch_of({{1, 2, 3, 4}, {5, 1}, {2}});
  const at::Tensor z = at::tensor({1.0f, 0.5f, 1.0f, 0.25f, 0.0f, 0.5f, 1.0f});
  for (const bool training : {false, true}) {
    const at::Tensor logits = part->logits(batch, z, training);
    for (int64_t i = 0; i < 3; ++i) {
      const uint64_t id = batch.example_ids.all[static_cast<size_t>(i)];
      const LinearWeights& own = training ? fit.folds[id % 2] : fit.all;
      double count = 0.0;
      at::Tensor sum = at::zeros({2});
      for (int64_t t = 0; t < batch.packed.lengths[static_cast<size_t>(i)]; ++t) {
        const int64_t row = batch.packed.row(t, i);
        sum = sum + z[row] * own.weight[batch.words[row].item<int64_t>()];
        count += z[row].item<double>();
      }
      const at::Tensor expected = sum / std::sqrt(std::max(1.0, count)) + own.bias;
      EXPECT_TRUE(at::allclose(logits[i], expected, 1e-5, 1e-6)) << i << " " << training;
    }
  }
  const at::Tensor network = at::ones({3, 2});
  const at::Tensor linear = part->logits(batch, z, false);
  EXPECT_TRUE(at::allclose(part->with(network, linear), 0.75 * network + 0.25 * linear));
}

TEST(LinearPart, DeletingAnUnselectedWordChangesNoBit) {
  LinearPart part(6, 3);
  part->set(random_fit(6, 3));
  const Batch whole = batch_of({{1, 5, 2, 3, 4}});
  const Batch rest = batch_of({{1, 2, 4}});
  const at::Tensor z = at::tensor({1.0f, 0.0f, 1.0f, 0.0f, 1.0f});
  EXPECT_TRUE(at::equal(part->logits(whole, z, false), part->logits(rest, at::ones({3}), false)));
  EXPECT_TRUE(at::equal(part->logits(rest, {}, false), part->logits(rest, at::ones({3}), false)));
}

TEST(LinearPart, GradientsOfZAgreeWithDifferences) {
  LinearPart part(6, 2);
  part->set(random_fit(6, 2));
  part->to(at::kDouble);
  const Batch batch = batch_of({{1, 2, 3, 4}, {5, 1}});
  expect_gradients([&](const auto& in) { return part->logits(batch, in[0], false); },
                   {doubles({0.9, 0.4, 0.8, 0.2, 0.7, 0.6})});
}

TEST(LinearPart, SalienceIsBoundedAndLargestForTheHeaviestWord) {
  LinearPart part(6, 2);
  LinearFit fit = random_fit(6, 2);
  fit.all.weight = at::zeros({6, 2});
  fit.all.weight[3][0] = 5.0;
  part->set(fit);
  const Batch batch = batch_of({{1, 2, 3, 4, 5}});
  const at::Tensor salience = part->salience(batch, false);
  EXPECT_EQ(salience.argmax().item<int64_t>(), 2);
  EXPECT_LE(at::abs(salience).max().item<float>(), 2.0f);
}

TEST(LinearPart, WithoutAFitHasNoSay) {
  LinearPart part(6, 2);
  const at::Tensor network = at::ones({1, 2});
  const Batch batch = batch_of({{1, 2}});
  EXPECT_TRUE(at::equal(part->with(network, part->logits(batch, {}, true)), network));
}

}  // namespace
}  // namespace hardkuma
