#include "hardkuma/train/linear_fit.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "hardkuma/common/random.h"

namespace hardkuma {
namespace {

// Texts of ten words out of a hundred; the classes follow from a planted word, or from nothing.
struct Texts {
  Vocabulary vocabulary;
  std::vector<Example> train;
  Config config;

  explicit Texts(bool planted, size_t count = 600) {
    for (int w = 0; w < 100; ++w) vocabulary.add("word" + std::to_string(w));
    config.task.labels = {"no", "yes"};
    for (size_t i = 0; i < count; ++i) {
      const RandomKey key = RandomKey(5).with(i);
      Example example;
      for (uint64_t t = 0; t < 10; ++t)
        example.words.push_back(static_cast<int32_t>(3 + key.with(t).below(98)));
      example.target = static_cast<double>(key.with(99).below(2));
      if (planted) example.words[4] = example.target > 0.5 ? 1 : 2;
      train.push_back(std::move(example));
    }
  }

  double accuracy(const LinearWeights& weights, size_t fold) const {
    double correct = 0.0;
    double texts = 0.0;
    for (size_t i = fold; i < train.size(); i += 5) {
      double margin = (weights.bias[1] - weights.bias[0]).item<double>();
      for (const int32_t word : train[i].words) {
        margin += (weights.weight[word][1] - weights.weight[word][0]).item<double>() /
                  std::sqrt(static_cast<double>(train[i].words.size()));
      }
      correct += (margin > 0.0) == (train[i].target > 0.5) ? 1.0 : 0.0;
      texts += 1.0;
    }
    return correct / texts;
  }
};

TEST(LinearFit, FindsPlantedWords) {
  const Texts texts(/*planted=*/true);
  const LinearFit fit = fit_linear_part(texts.train, texts.vocabulary, texts.config);
  ASSERT_EQ(fit.folds.size(), 5u);
  EXPECT_EQ(fit.share, 0.5);
  for (size_t fold = 0; fold < 5; ++fold)
    EXPECT_GT(texts.accuracy(fit.folds[fold], fold), 0.98) << fold;
  const at::Tensor difference = at::abs(fit.all.weight.select(1, 1) - fit.all.weight.select(1, 0));
  EXPECT_GT(difference.slice(0, 1, 3).min().item<float>(),
            2.0f * difference.slice(0, 3).max().item<float>());
}

// Where nothing can be learned, a fold's weights know nothing of the texts they were fitted
// without, though those of all texts remember them; and the linear part gets no say.
TEST(LinearFit, FoldsDoNotKnowTheirTexts) {
  const Texts texts(/*planted=*/false);
  const LinearFit fit = fit_linear_part(texts.train, texts.vocabulary, texts.config);
  double left_out = 0.0;
  double fitted = 0.0;
  for (size_t fold = 0; fold < 5; ++fold) {
    left_out += texts.accuracy(fit.folds[fold], fold) / 5.0;
    fitted += texts.accuracy(fit.all, fold) / 5.0;
  }
  EXPECT_LT(left_out, 0.56);
  EXPECT_GT(fitted, 0.60);
  EXPECT_EQ(fit.share, 0.0);
}

TEST(LinearFit, TheSameTextsGiveTheSameWeights) {
  const Texts texts(/*planted=*/true, 100);
  const LinearFit a = fit_linear_part(texts.train, texts.vocabulary, texts.config);
  const LinearFit b = fit_linear_part(texts.train, texts.vocabulary, texts.config);
  EXPECT_TRUE(at::equal(a.all.weight, b.all.weight));
  EXPECT_TRUE(at::equal(a.folds[3].bias, b.folds[3].bias));
}

TEST(LinearFit, FitsValuesAndSurvivesTheSmallestSets) {
  Texts texts(/*planted=*/true);
  texts.config.task = {};
  texts.config.task.regression = true;
  texts.config.task.labels = {"score"};
  for (Example& example : texts.train) example.target = example.target > 0.5 ? 0.9 : 0.2;
  const LinearFit fit = fit_linear_part(texts.train, texts.vocabulary, texts.config);
  EXPECT_GT(fit.all.weight[1][0].item<float>(), fit.all.weight[2][0].item<float>());
  EXPECT_GT(fit.share, 0.0);
  texts.train.resize(1);
  const LinearFit one = fit_linear_part(texts.train, texts.vocabulary, texts.config);
  EXPECT_TRUE(at::isfinite(one.all.weight).all().item<bool>());
  EXPECT_GE(one.share, 0.0);
}

}  // namespace
}  // namespace hardkuma
