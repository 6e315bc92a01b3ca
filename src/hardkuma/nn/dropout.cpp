#include "hardkuma/nn/dropout.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/vector_math.h"

namespace hardkuma {
namespace {

constexpr int64_t kChunk = 1024;  // elements at a time

template <typename T>
struct Mask {
  int32_t drop_below;  // of 16 random bits
  T scale;
};

// out = mask · in; four elements share 64 random bits.
template <typename T>
HARDKUMA_INLINE void masked_row(const Mask<T>& mask, RandomKey key, int64_t width, const T* in,
                                T* out) {
  uint64_t bits[kChunk / 4];
  uint16_t draws[kChunk];
  static_assert(std::endian::native == std::endian::little);
  const int32_t drop_below = mask.drop_below;
  const T scale = mask.scale;
  for (int64_t from = 0; from < width; from += kChunk) {
    const int64_t count = std::min(kChunk, width - from);
    for (int64_t i = 0; i < (count + 3) / 4; ++i) {
      bits[i] = key.bits(static_cast<uint64_t>(from + 4 * i));
    }
    std::memcpy(draws, bits, static_cast<size_t>(count + 3) / 4 * sizeof(uint64_t));
    const T* __restrict__ x = in + from;
    T* __restrict__ y = out + from;
    HARDKUMA_INDEPENDENT
    for (int64_t j = 0; j < count; ++j) {
      const T keep = static_cast<int32_t>(draws[j]) < drop_below ? T(0) : scale;
      y[j] = x[j] * keep;
    }
  }
}

HARDKUMA_CLONES void masked_row_of(const Mask<float>& mask, RandomKey key, int64_t width,
                                   const float* in, float* out) {
  masked_row(mask, key, width, in, out);
}

HARDKUMA_CLONES void masked_row_of(const Mask<double>& mask, RandomKey key, int64_t width,
                                   const double* in, double* out) {
  masked_row(mask, key, width, in, out);
}

// Row i is that of the word i in `from`, or with no words row i itself.
at::Tensor masked(const at::Tensor& from, const at::Tensor& words, const Dropout& dropout) {
  const int64_t rows = words.defined() ? words.size(0) : from.size(0);
  const int64_t width = from.size(1);
  if (!(dropout.p >= 0.0 && dropout.p < 1.0)) {
    throw InternalError("[dropout] p must be in [0, 1), got {}", dropout.p);
  }
  if (static_cast<int64_t>(dropout.keys.size()) != rows) {
    throw InternalError("[dropout] {} rows, {} keys", rows, dropout.keys.size());
  }
  at::Tensor out = at::empty({rows, width}, from.options());
  AT_DISPATCH_FLOATING_TYPES(from.scalar_type(), "dropout", [&] {
    const auto drop_below = static_cast<int32_t>(dropout.p * 65536.0);
    const Mask<scalar_t> mask{drop_below, static_cast<scalar_t>(65536.0 / (65536.0 - drop_below))};
    const auto* word = words.defined() ? words.data_ptr<int64_t>() : nullptr;
    for (int64_t i = 0; i < rows; ++i) {
      masked_row_of(mask, dropout.keys[static_cast<size_t>(i)], width,
                    from.data_ptr<scalar_t>() + (word != nullptr ? word[i] : i) * width,
                    out.data_ptr<scalar_t>() + i * width);
    }
  });
  return out;
}

}  // namespace

std::vector<RandomKey> word_keys(const Packed& packed, const std::vector<uint64_t>& examples,
                                 RandomKey key, const at::Tensor& rows) {
  std::vector<RandomKey> all(static_cast<size_t>(packed.rows()), key);
  for (int64_t i = 0; i < packed.sequences(); ++i) {
    const RandomKey example = key.with(examples[static_cast<size_t>(i)]);
    for (int64_t t = 0; t < packed.lengths[static_cast<size_t>(i)]; ++t) {
      all[static_cast<size_t>(packed.row(t, i))] = example.with(static_cast<uint64_t>(t));
    }
  }
  if (!rows.defined()) return all;
  std::vector<RandomKey> out;
  out.reserve(static_cast<size_t>(rows.size(0)));
  for (int64_t i = 0; i < rows.size(0); ++i) {
    out.push_back(all[static_cast<size_t>(rows.data_ptr<int64_t>()[i])]);
  }
  return out;
}

std::vector<RandomKey> text_keys(const std::vector<uint64_t>& examples, RandomKey key) {
  std::vector<RandomKey> out;
  out.reserve(examples.size());
  for (const uint64_t example : examples) out.push_back(key.with(example));
  return out;
}

at::Tensor drop(const at::Tensor& x, const Dropout& dropout) {
  if (dropout.p == 0.0) return x;
  return x * masked(at::ones_like(x.detach()), {}, dropout);
}

at::Tensor embed(const at::Tensor& table, const at::Tensor& words, const Dropout& dropout) {
  if (dropout.p == 0.0) return table.detach().index_select(0, words);
  return masked(table, words, dropout);
}

}  // namespace hardkuma
