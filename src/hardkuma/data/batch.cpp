#include "hardkuma/data/batch.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "hardkuma/common/error.h"
#include "hardkuma/data/vocabulary.h"

namespace hardkuma {
namespace {

int64_t length(const Example& example) {
  return static_cast<int64_t>(example.words.size());
}

// Longer first; pairs with first texts of equal length by their second texts.
bool longer(const Example& a, const Example& b) {
  return std::pair(a.words.size(), a.second.words.size()) >
         std::pair(b.words.size(), b.second.words.size());
}

// An example's cost in words; for long pairs the cells cost more than the words.
int64_t size_of(const Example& example) {
  constexpr int64_t kCellsPerWord = 8;
  return example.is_pair
             ? std::max(length(example) + static_cast<int64_t>(example.second.words.size()),
                        example.units() / kCellsPerWord)
             : length(example);
}

Batch pack_pairs(const std::vector<Example>& set, const std::vector<int64_t>& indices) {
  Batch batch;
  batch.order.resize(indices.size());
  std::iota(batch.order.begin(), batch.order.end(), int64_t{0});
  batch.targets = at::empty({static_cast<int64_t>(indices.size())}, at::kFloat);
  std::vector<int64_t> lengths[2];
  for (size_t i = 0; i < indices.size(); ++i) {
    const Example& example = set[static_cast<size_t>(indices[i])];
    if (!example.is_pair) throw InternalError("[pack] a text among pairs");
    lengths[0].push_back(length(example) + 1);
    lengths[1].push_back(static_cast<int64_t>(example.second.words.size()) + 1);
    batch.targets.data_ptr<float>()[i] = static_cast<float>(example.target);
    batch.example_ids.all.push_back(static_cast<uint64_t>(indices[i]));
  }
  batch.pairs = Pairs::of_lengths(lengths[0], lengths[1]);
  batch.words = at::empty({batch.pairs.rows()}, at::kLong);
  auto* to = batch.words.data_ptr<int64_t>();
  for (const bool second : {false, true}) {
    for (const int64_t index : indices) {
      const Example& example = set[static_cast<size_t>(index)];
      const Words& side = second ? example.second : example;
      *to++ = kNullWord;
      to = std::copy(side.words.begin(), side.words.end(), to);
    }
  }
  return batch;
}

}  // namespace

std::vector<int64_t> Batch::units_of(int64_t i) const {
  const auto at = static_cast<size_t>(i);
  std::vector<int64_t> out;
  if (is_pairs()) {
    out.resize(static_cast<size_t>(pairs.cells[at + 1] - pairs.cells[at]));
    std::iota(out.begin(), out.end(), pairs.cells[at]);
    return out;
  }
  for (int64_t t = 0; t < packed.lengths[at]; ++t) out.push_back(packed.row(t, i));
  return out;
}

Batch Batch::to(at::Device target) const {
  return BatchUpload(*this).to(target);
}

BatchUpload::BatchUpload(const Batch& batch, int64_t rows, int64_t cells)
    : batch_(batch), rows_(rows), cells_(cells) {
  const auto count = batch.examples();
  if (batch.is_pairs()) {
    layout_ = batch.pairs.device_layout();
  } else {
    layout_.assign(batch.packed.offsets.begin(), batch.packed.offsets.end());
    lengths_.assign(batch.packed.lengths.begin(), batch.packed.lengths.end());
    std::exclusive_scan(lengths_.begin(), lengths_.end(), std::back_inserter(starts_), int32_t{0});
  }
  const auto bytes = [](const auto& list) {
    return static_cast<int64_t>(list.size() * sizeof(list[0]));
  };
  words_slice_ = upload.add(batch.words.data_ptr(), batch.words.size(0) * 8, rows * 8);
  ids_slice_ = upload.add(batch.example_ids.all.data(), count * 8);
  targets_slice_ = upload.add(batch.targets.data_ptr(), batch.targets.numel() * 4);
  // There are never more steps than rows.
  layout_slice_ = upload.add(layout_.data(), bytes(layout_), batch.is_pairs() ? 0 : rows * 4);
  lengths_slice_ = upload.add(lengths_.data(), bytes(lengths_));
  starts_slice_ = upload.add(starts_.data(), bytes(starts_));
}

Batch BatchUpload::to(at::Device target) const {
  return at(upload.send(target));
}

Batch BatchUpload::at(const at::Tensor& there) const {
  Batch out = batch_;
  out.words = upload.slice(there, words_slice_, at::kLong);
  out.example_ids.device = upload.slice(there, ids_slice_, at::kLong);
  out.targets = upload.slice(there, targets_slice_, at::kFloat).view(batch_.targets.sizes());
  const at::Tensor layout = upload.slice(there, layout_slice_, at::kInt);
  if (batch_.is_pairs()) {
    out.pairs.device = layout.view({-1, 5});
    if (rows_ > 0) out.pairs.set_room(rows_, cells_);
  } else {
    out.packed.device = std::make_shared<DeviceSequences>(
        DeviceSequences{layout, upload.slice(there, lengths_slice_, at::kInt),
                        upload.slice(there, starts_slice_, at::kInt)});
    out.packed.room = rows_;
  }
  return out;
}

at::Tensor Batch::mean_by_example(const at::Tensor& values) const {
  return is_pairs() ? pairs.mean_by_pair(values) : packed.mean_by_sequence(values);
}

Batch pack(const std::vector<Example>& set, const std::vector<int64_t>& indices) {
  if (!indices.empty() && set[static_cast<size_t>(indices[0])].is_pair) {
    return pack_pairs(set, indices);
  }
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
    batch.example_ids.all.push_back(static_cast<uint64_t>(indices[static_cast<size_t>(place)]));
  }
  if (!several) batch.targets = batch.targets.view({-1});
  return batch;
}

std::vector<std::vector<int64_t>> training_batches(const std::vector<Example>& set, int64_t batch,
                                                   RandomKey key) {
  // Sorting within windows of many batches gives similar lengths and still mixes anew every epoch.
  constexpr int64_t kBatchesPerWindow = 20;
  const auto count = static_cast<int64_t>(set.size());
  std::vector<int64_t> order = shuffled_indices(count, key);
  const int64_t window = batch * kBatchesPerWindow;
  std::vector<std::vector<int64_t>> batches;
  for (int64_t from = 0; from < count; from += window) {
    const auto first = order.begin() + from;
    const auto last = order.begin() + std::min(from + window, count);
    std::stable_sort(first, last, [&](int64_t a, int64_t b) {
      return longer(set[static_cast<size_t>(a)], set[static_cast<size_t>(b)]);
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
    return longer(set[static_cast<size_t>(a)], set[static_cast<size_t>(b)]);
  });
  std::vector<std::vector<int64_t>> batches;
  int64_t words = 0;
  for (const int64_t i : order) {
    const int64_t here = size_of(set[static_cast<size_t>(i)]);
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
