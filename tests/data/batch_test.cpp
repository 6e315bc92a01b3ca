#include "hardkuma/data/batch.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

std::vector<Example> examples(const std::vector<int>& lengths) {
  std::vector<Example> out(lengths.size());
  int32_t word = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    out[i].target = static_cast<double>(i);
    for (int t = 0; t < lengths[i]; ++t) out[i].words.push_back(word++);
  }
  return out;
}

TEST(Batch, PacksLongestFirstAndRemembersTheOrder) {
  const auto set = examples({1, 3, 2});
  const Batch batch = pack(set, {0, 1, 2});
  EXPECT_EQ(batch.packed.lengths, (std::vector<int64_t>{3, 2, 1}));
  EXPECT_EQ(batch.order, (std::vector<int64_t>{1, 2, 0}));
  EXPECT_EQ(batch.example_ids.all, (std::vector<uint64_t>{1, 2, 0}));
  EXPECT_TRUE(at::equal(batch.words, at::tensor({1L, 4L, 0L, 2L, 5L, 3L})));
  EXPECT_TRUE(at::equal(batch.targets, at::tensor({1.f, 2.f, 0.f})));
}

TEST(Batch, TrainingBatchesCoverEverythingOnceAndChangeEveryEpoch) {
  std::vector<int> lengths;
  for (int i = 0; i < 1003; ++i)
    lengths.push_back(1 + static_cast<int>(RandomKey(5).with(i).below(40)));
  const auto set = examples(lengths);
  const auto length = [&](int64_t i) { return set[static_cast<size_t>(i)].words.size(); };
  const auto batches = training_batches(set, 10, RandomKey(1));
  EXPECT_EQ(batches.size(), 101u);
  std::vector<int64_t> seen;
  size_t spread = 0;
  for (const auto& batch : batches) {
    EXPECT_LE(batch.size(), 10u);
    EXPECT_TRUE(std::is_sorted(batch.begin(), batch.end(),
                               [&](int64_t a, int64_t b) { return length(a) > length(b); }));
    spread += length(batch.front()) - length(batch.back());
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  EXPECT_LT(spread, 5 * batches.size()) << "texts of a batch are of about one length";
  std::sort(seen.begin(), seen.end());
  for (size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], static_cast<int64_t>(i));
  EXPECT_EQ(training_batches(set, 10, RandomKey(1)), batches);
  EXPECT_NE(training_batches(set, 10, RandomKey(2)), batches);
  // Which texts stand together changes too, not only when they come.
  const auto partners = [](const std::vector<std::vector<int64_t>>& all) {
    for (const auto& batch : all) {
      if (std::find(batch.begin(), batch.end(), 0) == batch.end()) continue;
      std::vector<int64_t> sorted = batch;
      std::sort(sorted.begin(), sorted.end());
      return sorted;
    }
    return std::vector<int64_t>();
  };
  EXPECT_NE(partners(training_batches(set, 10, RandomKey(2))), partners(batches));
  EXPECT_TRUE(training_batches({}, 10, RandomKey(1)).empty());
}

TEST(Batch, PredictionBatchesCoverEverythingOnceWithinLimits) {
  const auto set = examples({5, 1, 9, 2, 2, 7, 30, 1});
  std::vector<int64_t> seen;
  for (const auto& batch : prediction_batches(set, 3, 12)) {
    EXPECT_LE(batch.size(), 3u);
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(prediction_batches({}, 3, 12).empty());
}

TEST(Pack, SeveralTargetsFollowTheirTexts) {
  std::vector<Example> set(2);
  set[0].words = {1};
  set[1].words = {2, 3};
  set[0].targets = {0.1f, 0.2f};
  set[1].targets = {0.3f, 0.4f};
  const Batch batch = pack(set, {0, 1});  // the longer one comes first
  EXPECT_EQ(batch.targets.sizes(), (std::vector<int64_t>{2, 2}));
  EXPECT_FLOAT_EQ(batch.targets[0][0].item<float>(), 0.3f);
  EXPECT_FLOAT_EQ(batch.targets[1][1].item<float>(), 0.2f);
  set[0].targets.pop_back();
  EXPECT_THROW(pack(set, {0, 1}), InternalError);
}

}  // namespace
}  // namespace hardkuma
