#include "hardkuma/nn/dropout.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/cuda/on_gpu.h"
#include "hardkuma/nn/vector_math.h"

namespace hardkuma {
namespace {

constexpr int64_t kBlockOfDraws = 1024;  // elements at a time

template <typename T>
struct Mask {
  int32_t drop_below;  // of 16 random bits
  T scale;
};

template <typename T>
Mask<T> mask_of(double p) {
  const auto drop_below = static_cast<int32_t>(p * 65536.0);
  return {drop_below, static_cast<T>(65536.0 / (65536.0 - drop_below))};
}

// Sixteen bits for each of `count` elements from `from` on; four share 64 random bits.
HARDKUMA_INLINE void draw_bits(RandomKey key, int64_t from, int64_t count, uint16_t* draws) {
  uint64_t bits[kBlockOfDraws / 4];
  static_assert(std::endian::native == std::endian::little);
  for (int64_t i = 0; i < (count + 3) / 4; ++i) {
    bits[i] = key.bits(static_cast<uint64_t>(from + 4 * i));
  }
  std::memcpy(draws, bits, static_cast<size_t>(count + 3) / 4 * sizeof(uint64_t));
}

// out = mask · in.
template <typename T>
HARDKUMA_INLINE void masked_row(const Mask<T>& mask, RandomKey key, int64_t width, const T* in,
                                T* out) {
  uint16_t draws[kBlockOfDraws];
  const int32_t drop_below = mask.drop_below;
  const T scale = mask.scale;
  for (int64_t from = 0; from < width; from += kBlockOfDraws) {
    const int64_t count = std::min(kBlockOfDraws, width - from);
    draw_bits(key, from, count, draws);
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

// out = mask · max(0, in + bias); a null key keeps everything.
template <typename T>
HARDKUMA_INLINE void rectified_row(const Mask<T>& mask, const RandomKey* key, int64_t width,
                                   const T* in, const T* bias, T* out) {
  uint16_t draws[kBlockOfDraws];
  const int32_t drop_below = mask.drop_below;
  const T scale = mask.scale;
  if (key == nullptr) std::fill(draws, draws + kBlockOfDraws, uint16_t{0xffff});
  for (int64_t from = 0; from < width; from += kBlockOfDraws) {
    const int64_t count = std::min(kBlockOfDraws, width - from);
    if (key != nullptr) draw_bits(*key, from, count, draws);
    const T* __restrict__ x = in + from;
    const T* __restrict__ b = bias + from;
    T* __restrict__ y = out + from;
    HARDKUMA_INDEPENDENT
    for (int64_t j = 0; j < count; ++j) {
      const T keep = static_cast<int32_t>(draws[j]) < drop_below ? T(0) : scale;
      const T sum = x[j] + b[j];
      y[j] = sum > T(0) ? sum * keep : T(0);
    }
  }
}

HARDKUMA_CLONES void rectified_row_of(const Mask<float>& mask, const RandomKey* key, int64_t width,
                                      const float* in, const float* bias, float* out) {
  rectified_row(mask, key, width, in, bias, out);
}

HARDKUMA_CLONES void rectified_row_of(const Mask<double>& mask, const RandomKey* key, int64_t width,
                                      const double* in, const double* bias, double* out) {
  rectified_row(mask, key, width, in, bias, out);
}

// Passes gradients back to x, and adds them to the bias, where the output is positive.
template <typename T>
HARDKUMA_INLINE void rectified_row_back(T scale, int64_t width, const T* out, const T* grad,
                                        T* to_x, T* to_bias) {
  const T* __restrict__ y = out;
  const T* __restrict__ g = grad;
  T* __restrict__ dx = to_x;
  T* __restrict__ db = to_bias;
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < width; ++j) {
    const T back = y[j] > T(0) ? g[j] * scale : T(0);
    dx[j] = back;
    db[j] += back;
  }
}

HARDKUMA_CLONES void rectified_row_back_of(float scale, int64_t width, const float* out,
                                           const float* grad, float* to_x, float* to_bias) {
  rectified_row_back(scale, width, out, grad, to_x, to_bias);
}

HARDKUMA_CLONES void rectified_row_back_of(double scale, int64_t width, const double* out,
                                           const double* grad, double* to_x, double* to_bias) {
  rectified_row_back(scale, width, out, grad, to_x, to_bias);
}

void check(const Dropout& dropout, int64_t rows) {
  if (!(dropout.p >= 0.0 && dropout.p < 1.0)) {
    throw InternalError("[dropout] p must be in [0, 1), got {}", dropout.p);
  }
  const int64_t keys = dropout.keys.defined() ? dropout.keys.size(0) : 0;
  if (keys != rows) throw InternalError("[dropout] {} rows, {} keys", rows, keys);
}

RandomKey row_key(const Dropout& dropout, int64_t row) {
  const auto state = static_cast<uint64_t>(dropout.keys.data_ptr<int64_t>()[row]);
  const RandomKey key = RandomKey::of_state(state);
  return dropout.place ? key.with(*dropout.place) : key;
}

struct Rectify : torch::autograd::Function<Rectify> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& given_bias, const Dropout& dropout) {
    const at::Tensor x = given.stride(1) == 1 ? given : given.contiguous();  // rows may be strided
    const at::Tensor bias = given_bias.contiguous();
    const int64_t rows = x.size(0);
    const int64_t width = x.size(1);
    at::Tensor out = at::empty({rows, width}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "rectify", [&] {
      const auto mask = mask_of<scalar_t>(dropout.p);
      for (int64_t i = 0; i < rows; ++i) {
        const RandomKey key = dropout.p > 0.0 ? row_key(dropout, i) : RandomKey(0);
        rectified_row_of(mask, dropout.p > 0.0 ? &key : nullptr, width,
                         x.data_ptr<scalar_t>() + i * x.stride(0), bias.data_ptr<scalar_t>(),
                         out.data_ptr<scalar_t>() + i * width);
      }
    });
    context->save_for_backward({out});
    context->saved_data["p"] = dropout.p;
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const at::Tensor out = context->get_saved_variables()[0];
    const at::Tensor grad = grads[0].stride(1) == 1 ? grads[0] : grads[0].contiguous();
    const int64_t width = out.size(1);
    at::Tensor to_x = at::empty_like(out);
    at::Tensor to_bias = at::zeros({width}, out.options());
    AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "rectify_backward", [&] {
      const auto scale = mask_of<scalar_t>(context->saved_data["p"].toDouble()).scale;
      for (int64_t i = 0; i < out.size(0); ++i) {
        rectified_row_back_of(scale, width, out.data_ptr<scalar_t>() + i * width,
                              grad.data_ptr<scalar_t>() + i * grad.stride(0),
                              to_x.data_ptr<scalar_t>() + i * width, to_bias.data_ptr<scalar_t>());
      }
    });
    return {to_x, to_bias, at::Tensor()};
  }
};

// Dropout of from[words[i]] as row i, or of from[i] without words.
at::Tensor masked(const at::Tensor& from, const at::Tensor& words, const Dropout& dropout) {
  const int64_t rows = words.defined() ? words.size(0) : from.size(0);
  const int64_t width = from.size(1);
  at::Tensor out = at::empty({rows, width}, from.options());
  AT_DISPATCH_FLOATING_TYPES(from.scalar_type(), "dropout", [&] {
    const auto mask = mask_of<scalar_t>(dropout.p);
    const auto* word = words.defined() ? words.data_ptr<int64_t>() : nullptr;
    for (int64_t i = 0; i < rows; ++i) {
      masked_row_of(mask, row_key(dropout, i), width,
                    from.data_ptr<scalar_t>() + (word != nullptr ? word[i] : i) * width,
                    out.data_ptr<scalar_t>() + i * width);
    }
  });
  return out;
}

}  // namespace

at::Tensor word_keys(const Packed& packed, const ExampleIds& examples, const StepKey& step,
                     const at::Tensor& rows) {
  if (packed.on_gpu()) return on_gpu::row_keys(packed, examples, step);
  const RandomKey key = step.key();
  at::Tensor all = at::empty({packed.rows()}, at::kLong);
  auto* out = all.data_ptr<int64_t>();
  for (int64_t i = 0; i < packed.sequences(); ++i) {
    const RandomKey example = key.with(examples.all[static_cast<size_t>(i)]);
    for (int64_t t = 0; t < packed.lengths[static_cast<size_t>(i)]; ++t) {
      out[packed.row(t, i)] = static_cast<int64_t>(example.with(static_cast<uint64_t>(t)).state());
    }
  }
  return rows.defined() ? all.index_select(0, rows) : all;
}

at::Tensor text_keys(const ExampleIds& examples, const StepKey& step) {
  if (examples.device.defined()) return on_gpu::text_keys(examples, step);
  const RandomKey key = step.key();
  at::Tensor out = at::empty({static_cast<int64_t>(examples.all.size())}, at::kLong);
  for (size_t i = 0; i < examples.all.size(); ++i) {
    out.data_ptr<int64_t>()[i] = static_cast<int64_t>(key.with(examples.all[i]).state());
  }
  return out;
}

at::Tensor drop(const at::Tensor& x, const Dropout& dropout) {
  if (dropout.p == 0.0) return x;
  check(dropout, x.size(0));
  if (x.is_cuda()) return on_gpu::drop(x, dropout);
  const at::Tensor ones = at::ones({1, x.size(1)}, x.options().requires_grad(false));
  return x * masked(ones, at::zeros({x.size(0)}, at::kLong), dropout);
}

at::Tensor rectify(const at::Tensor& x, const at::Tensor& bias, const Dropout& dropout) {
  if (dropout.p > 0.0) check(dropout, x.size(0));
  return x.is_cuda() ? on_gpu::rectify(x, bias, dropout) : Rectify::apply(x, bias, dropout);
}

at::Tensor embed(const at::Tensor& table, const at::Tensor& words, const Dropout& dropout) {
  if (dropout.p == 0.0) return table.detach().index_select(0, words);
  check(dropout, words.size(0));
  return table.is_cuda() ? on_gpu::embed(table, words, dropout) : masked(table, words, dropout);
}

}  // namespace hardkuma
