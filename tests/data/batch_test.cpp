#include "hardkuma/data/batch.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>

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
  EXPECT_EQ(batch.numbers, (std::vector<uint64_t>{1, 2, 0}));
  EXPECT_TRUE(at::equal(batch.words, at::tensor({1L, 4L, 0L, 2L, 5L, 3L})));
  EXPECT_TRUE(at::equal(batch.targets, at::tensor({1.f, 2.f, 0.f})));
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

}  // namespace
}  // namespace hardkuma
