#include "hardkuma/nn/pairs.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <numeric>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/cuda/on_gpu.h"

namespace hardkuma {

Pairs Pairs::of_lengths(const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
  if (first.size() != second.size()) {
    throw InternalError("[Pairs] {} first texts, {} second", first.size(), second.size());
  }
  Pairs out;
  for (const auto& [lengths, side] :
       {std::pair(&first, &out.first), std::pair(&second, &out.second)}) {
    for (const int64_t length : *lengths) {
      if (length < 1) throw InternalError("[Pairs] length must be positive, got {}", length);
      side->push_back({out.rows_, length});
      out.rows_ += length;
    }
  }
  out.set_cells();
  return out;
}

Pairs Pairs::with_themselves(const Pairs& pairs) {
  Pairs out;
  out.first = pairs.first;
  out.first.insert(out.first.end(), pairs.second.begin(), pairs.second.end());
  out.second = out.first;
  out.rows_ = pairs.rows_;
  out.set_cells();
  if (pairs.on_gpu()) {
    out.device = at::tensor(out.device_layout(), at::kInt).to(pairs.device.device()).view({-1, 5});
  }
  return out;
}

std::vector<int32_t> Pairs::device_layout() const {
  std::vector<int32_t> out;
  for (size_t i = 0; i < first.size(); ++i) {
    for (const int64_t number :
         {first[i].from, first[i].count, second[i].from, second[i].count, cells[i]}) {
      out.push_back(static_cast<int32_t>(number));
    }
  }
  return out;
}

void Pairs::set_cells() {
  cells = {0};
  for (size_t i = 0; i < first.size(); ++i) {
    cells.push_back(cells.back() + first[i].count * second[i].count);
  }
}

at::Tensor Pairs::pair_of_cell() const {
  at::Tensor out = at::empty({cell_count()}, at::kLong);
  auto* data = out.data_ptr<int64_t>();
  for (size_t i = 0; i < first.size(); ++i) {
    std::fill(data + cells[i], data + cells[i + 1], static_cast<int64_t>(i));
  }
  return out;
}

at::Tensor Pairs::mean_by_pair(const at::Tensor& values) const {
  if (on_gpu()) return hardkuma::on_gpu::mean_by_pair(values, *this);
  at::Tensor share = at::empty({count()}, at::kDouble);
  for (size_t i = 0; i < first.size(); ++i) {
    share.data_ptr<double>()[i] = 1.0 / static_cast<double>(cells[i + 1] - cells[i]);
  }
  return at::zeros({count()}, values.options()).index_add(0, pair_of_cell(), values) *
         share.to(values.scalar_type());
}

at::Tensor cell_uniforms(const Pairs& pairs, const ExampleIds& examples, const StepKey& step,
                         at::ScalarType dtype) {
  if (pairs.on_gpu()) return on_gpu::cell_uniforms(pairs, examples, step, dtype);
  const RandomKey key = step.key();
  at::Tensor out = at::empty({pairs.cell_count()}, dtype);
  AT_DISPATCH_FLOATING_TYPES(dtype, "cell_uniforms", [&] {
    auto* data = out.data_ptr<scalar_t>();
    for (size_t i = 0; i < pairs.first.size(); ++i) {
      const RandomKey example = key.with(examples.all[i]);
      for (int64_t c = pairs.cells[i]; c < pairs.cells[i + 1]; ++c) {
        data[c] = example.with(static_cast<uint64_t>(c - pairs.cells[i])).uniform();
      }
    }
  });
  return out;
}

at::Tensor pair_word_keys(const Pairs& pairs, const ExampleIds& examples, const StepKey& step) {
  if (pairs.on_gpu()) return on_gpu::pair_row_keys(pairs, examples, step);
  const RandomKey key = step.key();
  at::Tensor keys = at::empty({pairs.rows()}, at::kLong);
  auto* out = keys.data_ptr<int64_t>();
  for (const bool second : {false, true}) {
    const std::vector<Rows>& side = second ? pairs.second : pairs.first;
    for (size_t i = 0; i < side.size(); ++i) {
      const RandomKey text = key.with(examples.all[i]).with(second ? 1 : 0);
      for (int64_t t = 0; t < side[i].count; ++t) {
        out[side[i].from + t] = static_cast<int64_t>(text.with(static_cast<uint64_t>(t)).state());
      }
    }
  }
  return keys;
}

SideBatch SideBatch::to(at::Device target) const {
  return {packed.to(target), rows.to(target), place.to(target)};
}

SideBatch pack_side(const std::vector<Rows>& side) {
  std::vector<int64_t> order(side.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto text = [&](int64_t i) -> const Rows& { return side[static_cast<size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return text(a).count > text(b).count; });
  std::vector<int64_t> lengths;
  for (const int64_t i : order) lengths.push_back(text(i).count);
  SideBatch out;
  out.packed = Packed(std::move(lengths));
  out.rows = at::empty({out.packed.rows()}, at::kLong);
  out.place = at::empty({out.packed.sequences()}, at::kLong);
  for (int64_t s = 0; s < out.packed.sequences(); ++s) {
    const int64_t i = order[static_cast<size_t>(s)];
    out.place.data_ptr<int64_t>()[i] = s;
    for (int64_t t = 0; t < text(i).count; ++t) {
      out.rows.data_ptr<int64_t>()[out.packed.row(t, s)] = text(i).from + t;
    }
  }
  return out;
}

}  // namespace hardkuma
