#include "hardkuma/nn/packed.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <numeric>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/cuda/on_gpu.h"

namespace hardkuma {

Packed::Packed(std::vector<int64_t> lengths_) : lengths(std::move(lengths_)) {
  if (lengths.empty()) return;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 1) throw InternalError("[Packed] length must be positive, got {}", lengths[i]);
    if (i > 0 && lengths[i] > lengths[i - 1]) {
      throw InternalError("[Packed] lengths must not increase, got {} after {}", lengths[i],
                          lengths[i - 1]);
    }
  }
  int64_t alive = sequences();
  int64_t offset = 0;
  for (int64_t t = 0; t < lengths.front(); ++t) {
    while (lengths[static_cast<size_t>(alive - 1)] <= t) --alive;
    sizes.push_back(alive);
    offsets.push_back(offset);
    offset += alive;
  }
}

at::Tensor Packed::sequence_of_row() const {
  at::Tensor out = at::empty({rows()}, at::kLong);
  auto* data = out.data_ptr<int64_t>();
  for (const int64_t size : sizes) {
    for (int64_t i = 0; i < size; ++i) *data++ = i;
  }
  return out;
}

at::Tensor Packed::last_rows() const {
  at::Tensor out = at::empty({sequences()}, at::kLong);
  auto* data = out.data_ptr<int64_t>();
  for (int64_t i = 0; i < sequences(); ++i) data[i] = row(lengths[static_cast<size_t>(i)] - 1, i);
  return out;
}

at::Tensor Packed::inverse_length(at::ScalarType dtype) const {
  at::Tensor out = at::empty({sequences()}, at::kDouble);
  auto* data = out.data_ptr<double>();
  for (size_t i = 0; i < lengths.size(); ++i) data[i] = 1.0 / static_cast<double>(lengths[i]);
  return out.to(dtype).index_select(0, sequence_of_row());
}

std::vector<int32_t> Packed::device_layout() const {
  std::vector<int32_t> out(offsets.begin(), offsets.end());
  out.insert(out.end(), lengths.begin(), lengths.end());
  int32_t start = 0;
  for (const int64_t length : lengths) {
    out.push_back(start);
    start += static_cast<int32_t>(length);
  }
  return out;
}

Packed Packed::to(at::Device target) const {
  Packed out = *this;
  out.set_device(at::tensor(device_layout(), at::kInt).to(target));
  return out;
}

void Packed::set_device(const at::Tensor& layout) {
  const int64_t t = steps();
  const int64_t b = sequences();
  device = std::make_shared<DeviceSequences>(DeviceSequences{
      layout.slice(0, 0, t), layout.slice(0, t, t + b), layout.slice(0, t + b, t + 2 * b)});
}

at::Tensor Packed::mean_by_sequence(const at::Tensor& values) const {
  if (on_gpu()) return hardkuma::on_gpu::mean_by_sequence(values, *this);
  return at::zeros({sequences()}, values.options())
      .index_add(0, sequence_of_row(), values * inverse_length(values.scalar_type()));
}

std::pair<at::Tensor, at::Tensor> Packed::neighbours() const {
  const int64_t count = rows() - sequences();
  at::Tensor first = at::empty({count}, at::kLong);
  at::Tensor second = at::empty({count}, at::kLong);
  auto* a = first.data_ptr<int64_t>();
  auto* b = second.data_ptr<int64_t>();
  for (int64_t t = 1; t < steps(); ++t) {
    for (int64_t i = 0; i < sizes[static_cast<size_t>(t)]; ++i) {
      *a++ = row(t - 1, i);
      *b++ = row(t, i);
    }
  }
  return {first, second};
}

at::Tensor nonzero_rows(const at::Tensor& z) {
  return at::nonzero(z.detach()).squeeze(1);
}

SelectedRows select_nonzero(const Packed& packed, const at::Tensor& z) {
  const at::Tensor flags = (z.detach() != 0).contiguous();
  const bool* keep = flags.data_ptr<bool>();
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(packed.sequences()));
  for (int64_t t = 0; t < packed.steps(); ++t) {
    for (int64_t i = 0; i < packed.sizes[static_cast<size_t>(t)]; ++i) {
      const int64_t row = packed.row(t, i);
      if (keep[row]) rows[static_cast<size_t>(i)].push_back(row);
    }
  }
  std::vector<int64_t> order(rows.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto count = [&](int64_t i) { return rows[static_cast<size_t>(i)].size(); };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return count(a) > count(b); });
  while (!order.empty() && count(order.back()) == 0) order.pop_back();
  std::vector<int64_t> lengths;
  for (const int64_t i : order) lengths.push_back(static_cast<int64_t>(count(i)));
  SelectedRows out;
  out.packed = Packed(std::move(lengths));
  out.rows = at::empty({out.packed.rows()}, at::kLong);
  auto* place = out.rows.data_ptr<int64_t>();
  for (int64_t i = 0; i < out.packed.sequences(); ++i) {
    const std::vector<int64_t>& from = rows[static_cast<size_t>(order[static_cast<size_t>(i)])];
    for (size_t t = 0; t < from.size(); ++t)
      place[out.packed.row(static_cast<int64_t>(t), i)] = from[t];
  }
  out.sequences = at::tensor(order, at::kLong);
  return out;
}

at::Tensor row_uniforms(const Packed& packed, const ExampleIds& examples, const StepKey& step,
                        at::ScalarType dtype) {
  if (packed.on_gpu()) return on_gpu::row_uniforms(packed, examples, step, dtype);
  const RandomKey key = step.key();
  at::Tensor out = at::empty({packed.rows()}, dtype);
  AT_DISPATCH_FLOATING_TYPES(dtype, "row_uniforms", [&] {
    auto* data = out.data_ptr<scalar_t>();
    for (int64_t i = 0; i < packed.sequences(); ++i) {
      const RandomKey example = key.with(examples.all[static_cast<size_t>(i)]);
      for (int64_t t = 0; t < packed.lengths[static_cast<size_t>(i)]; ++t) {
        data[packed.row(t, i)] = example.with(static_cast<uint64_t>(t)).uniform();
      }
    }
  });
  return out;
}

}  // namespace hardkuma
