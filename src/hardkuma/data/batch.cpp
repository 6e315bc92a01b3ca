#include "hardkuma/data/batch.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <numeric>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

int64_t length(const Example& example) {
  return static_cast<int64_t>(example.words.size());
}

}  // namespace

Batch pack(const std::vector<Example>& set, const std::vector<int64_t>& indices) {
  Batch batch;
  batch.order.resize(indices.size());
  std::iota(batch.order.begin(), batch.order.end(), int64_t{0});
  const auto example = [&](int64_t place) -> const Example& {
    return set[static_cast<size_t>(indices[static_cast<size_t>(place)])];
  };
  std::stable_sort(batch.order.begin(), batch.order.end(),
                   [&](int64_t a, int64_t b) { return length(example(a)) > length(example(b)); });
  std::vector<int64_t> lengths;
  for (const int64_t place : batch.order) lengths.push_back(length(example(place)));
  batch.packed = Packed(std::move(lengths));
  batch.words = at::empty({batch.packed.rows()}, at::kLong);
  const bool several = !indices.empty() && !example(0).targets.empty();
  const auto values = several ? static_cast<int64_t>(example(0).targets.size()) : 1;
  batch.targets = at::empty({batch.packed.sequences(), values}, at::kFloat);
  auto* words = batch.words.data_ptr<int64_t>();
  auto* targets = batch.targets.data_ptr<float>();
  for (int64_t i = 0; i < batch.packed.sequences(); ++i) {
    const int64_t place = batch.order[static_cast<size_t>(i)];
    const Example& source = example(place);
    for (int64_t t = 0; t < length(source); ++t) {
      words[batch.packed.row(t, i)] = source.words[static_cast<size_t>(t)];
    }
    if (source.targets.size() != (several ? static_cast<size_t>(values) : 0)) {
      throw InternalError("[pack] {} values beside an example with {}", source.targets.size(),
                          values);
    }
    if (several) {
      std::copy(source.targets.begin(), source.targets.end(), targets + i * values);
    } else {
      targets[i] = static_cast<float>(source.target);
    }
    batch.numbers.push_back(static_cast<uint64_t>(indices[static_cast<size_t>(place)]));
  }
  if (!several) batch.targets = batch.targets.view({-1});
  return batch;
}

std::vector<std::vector<int64_t>> training_batches(const std::vector<Example>& set, int64_t batch,
                                                   RandomKey key) {
  // Sorted in windows of many batches: short steps are full, and every epoch mixes anew.
  constexpr int64_t kBatchesPerWindow = 20;
  const auto count = static_cast<int64_t>(set.size());
  std::vector<int64_t> order = shuffled_indices(count, key);
  const int64_t window = batch * kBatchesPerWindow;
  std::vector<std::vector<int64_t>> batches;
  for (int64_t from = 0; from < count; from += window) {
    const auto first = order.begin() + from;
    const auto last = order.begin() + std::min(from + window, count);
    std::stable_sort(first, last, [&](int64_t a, int64_t b) {
      return length(set[static_cast<size_t>(a)]) > length(set[static_cast<size_t>(b)]);
    });
    for (auto i = first; i < last; i += std::min<int64_t>(batch, last - i)) {
      batches.emplace_back(i, i + std::min<int64_t>(batch, last - i));
    }
  }
  std::vector<std::vector<int64_t>> out;
  for (const int64_t i : shuffled_indices(static_cast<int64_t>(batches.size()), key.with(1))) {
    out.push_back(std::move(batches[static_cast<size_t>(i)]));
  }
  return out;
}

std::vector<std::vector<int64_t>> prediction_batches(const std::vector<Example>& set,
                                                     int64_t max_examples, int64_t max_words) {
  std::vector<int64_t> order(set.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return length(set[static_cast<size_t>(a)]) > length(set[static_cast<size_t>(b)]);
  });
  std::vector<std::vector<int64_t>> batches;
  int64_t words = 0;
  for (const int64_t i : order) {
    const int64_t here = length(set[static_cast<size_t>(i)]);
    const bool full = batches.empty() || words + here > max_words ||
                      static_cast<int64_t>(batches.back().size()) >= max_examples;
    if (full) {
      batches.emplace_back();
      words = 0;
    }
    batches.back().push_back(i);
    words += here;
  }
  return batches;
}

}  // namespace hardkuma
