#include "hardkuma/nn/packed.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

template <typename T>
void fill_mask(T* out, int64_t width, uint32_t drop_below, T scale, RandomKey key) {
  for (int64_t j = 0; j < width; j += 4) {  // four 16-bit draws from each 64 bits
    uint64_t bits = key.bits(static_cast<uint64_t>(j));
    for (int64_t i = j; i < std::min(j + 4, width); ++i, bits >>= 16) {
      out[i] = (bits & 0xffff) < drop_below ? T(0) : scale;
    }
  }
}

uint32_t drop_threshold(double p) {
  if (!(p >= 0.0 && p < 1.0)) throw InternalError("[dropout] p must be in [0, 1), got {}", p);
  return static_cast<uint32_t>(p * 65536.0);
}

}  // namespace

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

at::Tensor row_uniforms(const Packed& packed, const std::vector<uint64_t>& examples, RandomKey key,
                        at::ScalarType dtype) {
  at::Tensor out = at::empty({packed.rows()}, dtype);
  AT_DISPATCH_FLOATING_TYPES(dtype, "row_uniforms", [&] {
    auto* data = out.data_ptr<scalar_t>();
    for (int64_t i = 0; i < packed.sequences(); ++i) {
      const RandomKey example = key.with(examples[static_cast<size_t>(i)]);
      for (int64_t t = 0; t < packed.lengths[static_cast<size_t>(i)]; ++t) {
        data[packed.row(t, i)] = example.with(static_cast<uint64_t>(t)).uniform();
      }
    }
  });
  return out;
}

at::Tensor row_dropout_mask(const Packed& packed, const std::vector<uint64_t>& examples,
                            int64_t width, double p, RandomKey key, at::ScalarType dtype) {
  const uint32_t threshold = drop_threshold(p);
  at::Tensor out = at::empty({packed.rows(), width}, dtype);
  AT_DISPATCH_FLOATING_TYPES(dtype, "row_dropout_mask", [&] {
    auto* data = out.data_ptr<scalar_t>();
    const auto scale = static_cast<scalar_t>(1.0 / (1.0 - p));
    for (int64_t i = 0; i < packed.sequences(); ++i) {
      const RandomKey example = key.with(examples[static_cast<size_t>(i)]);
      for (int64_t t = 0; t < packed.lengths[static_cast<size_t>(i)]; ++t) {
        fill_mask(data + packed.row(t, i) * width, width, threshold, scale,
                  example.with(static_cast<uint64_t>(t)));
      }
    }
  });
  return out;
}

at::Tensor sequence_dropout_mask(const std::vector<uint64_t>& examples, int64_t width, double p,
                                 RandomKey key, at::ScalarType dtype) {
  const uint32_t threshold = drop_threshold(p);
  at::Tensor out = at::empty({static_cast<int64_t>(examples.size()), width}, dtype);
  AT_DISPATCH_FLOATING_TYPES(dtype, "sequence_dropout_mask", [&] {
    auto* data = out.data_ptr<scalar_t>();
    const auto scale = static_cast<scalar_t>(1.0 / (1.0 - p));
    for (size_t i = 0; i < examples.size(); ++i) {
      fill_mask(data + static_cast<int64_t>(i) * width, width, threshold, scale,
                key.with(examples[i]));
    }
  });
  return out;
}

}  // namespace hardkuma
