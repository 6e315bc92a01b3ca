#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/cuda/launch.cuh"

namespace hardkuma::cuda {
namespace {

__device__ RandomKey key_from(int64_t state) {
  return RandomKey::of_state(static_cast<uint64_t>(state));
}

__global__ void row_keys_kernel(Sequences at, const int64_t* example_ids, StepKey step,
                                int64_t* out) {
  const int64_t i = blockIdx.x;
  const RandomKey example = step.device_key().with(static_cast<uint64_t>(example_ids[i]));
  for (int t = threadIdx.x; t < at.lengths[i]; t += blockDim.x) {
    out[at.offsets[t] + i] = static_cast<int64_t>(example.with(static_cast<uint64_t>(t)).state());
  }
}

template <typename T>
__global__ void row_uniforms_kernel(Sequences at, const int64_t* example_ids, StepKey step,
                                    T* out) {
  const int64_t i = blockIdx.x;
  const RandomKey example = step.device_key().with(static_cast<uint64_t>(example_ids[i]));
  for (int t = threadIdx.x; t < at.lengths[i]; t += blockDim.x) {
    out[at.offsets[t] + i] = static_cast<T>(example.with(static_cast<uint64_t>(t)).uniform());
  }
}

__global__ void text_keys_kernel(int64_t count, const int64_t* example_ids, StepKey step,
                                 int64_t* out) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    out[i] =
        static_cast<int64_t>(step.device_key().with(static_cast<uint64_t>(example_ids[i])).state());
  }
}

// One warp per sequence, 32 words at a time. The kept words of a sequence are contiguous.
template <typename T>
__global__ void select_nonzero_kernel(Sequences at, const T* z, int32_t* rows, int32_t* counts) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x / 32) + threadIdx.x / 32;
  if (i >= at.count) return;
  const int lane = threadIdx.x % 32;
  const int length = at.lengths[i];
  int32_t* to = rows + at.starts[i];
  int count = 0;
  for (int from = 0; from < length; from += 32) {
    const int t = from + lane;
    const int32_t row = t < length ? static_cast<int32_t>(at.offsets[t] + i) : 0;
    const bool keep = t < length && z[row] != T(0);
    const unsigned kept = __ballot_sync(0xffffffffu, keep);
    if (keep) to[count + __popc(kept & ((1u << lane) - 1u))] = row;
    count += __popc(kept);
  }
  if (lane == 0) counts[i] = count;
}

// The same draws as in dropout.cpp: four elements share 64 random bits.
template <typename T>
struct Masker {
  explicit Masker(const Drop& drop)
      : keys(drop.p > 0.0 ? drop.keys : nullptr),
        placed(drop.placed),
        place(drop.place),
        below(static_cast<int>(drop.p * 65536.0)),
        scale(static_cast<T>(65536.0 / (65536.0 - static_cast<int>(drop.p * 65536.0)))) {}

  __device__ RandomKey key(int64_t row) const {
    const RandomKey own = key_from(keys[row]);
    return placed ? own.with(place) : own;
  }

  __device__ T keep(uint64_t bits, int element) const {
    return static_cast<int>((bits >> (16 * element)) & 0xffff) < below ? T(0) : scale;
  }

  const int64_t* keys;
  bool placed;
  uint64_t place;
  int below;
  T scale;
};

// A thread takes four elements of a row.
template <typename T, bool kRectify>
__global__ void drop_kernel(Masker<T> mask, int64_t rows, int64_t width, const T* from, int64_t ld,
                            const int64_t* words, const T* bias, T* out) {
  const int64_t fours = (width + 3) / 4;
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= rows * fours) return;
  const int64_t row = i / fours;
  const int64_t first = (i - row * fours) * 4;
  const T* in = from + (words != nullptr ? words[row] : row) * ld;
  const uint64_t bits = mask.keys != nullptr ? mask.key(row).bits(static_cast<uint64_t>(first)) : 0;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int64_t j = first + e;
    if (j >= width) break;
    T value = in[j];
    if (kRectify) {
      value += bias[j];
      value = value > T(0) ? value : T(0);
    }
    out[row * width + j] = mask.keys != nullptr ? value * mask.keep(bits, e) : value;
  }
}

template <typename T>
__global__ void rectify_back_kernel(T scale, int64_t rows, int64_t width, const T* out,
                                    const T* grad, int64_t ld, T* to_x) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= rows * width) return;
  const int64_t row = i / width;
  to_x[i] = out[i] > T(0) ? grad[row * ld + (i - row * width)] * scale : T(0);
}

// 32 columns per block; rows are distributed over 32 lines of threads, whose sums are added in
// order.
template <typename T>
__global__ void column_sums_kernel(int64_t rows, int64_t width, const T* x, int64_t ld, T* out) {
  __shared__ T sums[32][33];
  const int64_t j = blockIdx.x * int64_t{32} + threadIdx.x;
  T sum = 0;
  if (j < width) {
    for (int64_t i = threadIdx.y; i < rows; i += 32) sum += x[i * ld + j];
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && j < width) {
    T total = 0;
    for (int i = 0; i < 32; ++i) total += sums[i][threadIdx.x];
    out[j] = total;
  }
}

template <typename T>
__global__ void row_dots_kernel(int64_t rows, int64_t width, const T* a, const T* b, T* out) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x / 32) + threadIdx.x / 32;
  if (i >= rows) return;
  T sum = 0;
  for (int64_t j = threadIdx.x % 32; j < width; j += 32) sum += a[i * width + j] * b[i * width + j];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) out[i] = sum;
}

// One warp per sequence.
template <typename T>
__global__ void sequence_means_kernel(Sequences at, const T* values, T* out) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x / 32) + threadIdx.x / 32;
  if (i >= at.count) return;
  const int length = at.lengths[i];
  T sum = 0;
  for (int t = threadIdx.x % 32; t < length; t += 32) sum += values[at.offsets[t] + i];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) out[i] = sum / static_cast<T>(length);
}

template <typename T>
__global__ void sequence_means_back_kernel(Sequences at, const T* grad, T* to_values) {
  const int64_t i = blockIdx.x;
  const int length = at.lengths[i];
  const T share = grad[i] / static_cast<T>(length);
  for (int t = threadIdx.x; t < length; t += blockDim.x) to_values[at.offsets[t] + i] = share;
}

template <typename T>
__global__ void transitions_kernel(Sequences at, const T* zero, const T* nonzero, T* out) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x / 32) + threadIdx.x / 32;
  if (i >= at.count) return;
  const int length = at.lengths[i];
  T sum = 0;
  for (int t = threadIdx.x % 32; t + 1 < length; t += 32) {
    const int64_t a = at.offsets[t] + i;
    const int64_t b = at.offsets[t + 1] + i;
    sum += zero[a] * nonzero[b] + nonzero[a] * zero[b];
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) out[i] = sum / static_cast<T>(length);
}

template <typename T>
__global__ void transitions_back_kernel(Sequences at, const T* zero, const T* nonzero,
                                        const T* grad, T* to_zero, T* to_nonzero) {
  const int64_t i = blockIdx.x;
  const int length = at.lengths[i];
  const T share = grad[i] / static_cast<T>(length);
  for (int t = threadIdx.x; t < length; t += blockDim.x) {
    T by_zero = 0, by_nonzero = 0;
    if (t > 0) {
      const int64_t a = at.offsets[t - 1] + i;
      by_zero += nonzero[a];
      by_nonzero += zero[a];
    }
    if (t + 1 < length) {
      const int64_t b = at.offsets[t + 1] + i;
      by_zero += nonzero[b];
      by_nonzero += zero[b];
    }
    to_zero[at.offsets[t] + i] = by_zero * share;
    to_nonzero[at.offsets[t] + i] = by_nonzero * share;
  }
}

constexpr int kWarpsABlock = kThreads / 32;

}  // namespace

void row_keys(const Sequences& at, const int64_t* example_ids, StepKey step, int64_t* out,
              void* stream) {
  if (at.count == 0) return;
  row_keys_kernel<<<static_cast<unsigned>(at.count), 64, 0, stream_of(stream)>>>(at, example_ids,
                                                                                 step, out);
  check_launch("row_keys");
}

void text_keys(int64_t count, const int64_t* example_ids, StepKey step, int64_t* out,
               void* stream) {
  if (count == 0) return;
  text_keys_kernel<<<blocks_for(count), kThreads, 0, stream_of(stream)>>>(count, example_ids, step,
                                                                          out);
  check_launch("text_keys");
}

template <typename T>
void row_uniforms(const Sequences& at, const int64_t* example_ids, StepKey step, T* out,
                  void* stream) {
  if (at.count == 0) return;
  row_uniforms_kernel<T>
      <<<static_cast<unsigned>(at.count), 64, 0, stream_of(stream)>>>(at, example_ids, step, out);
  check_launch("row_uniforms");
}

template <typename T>
void select_nonzero(const Sequences& at, const T* z, int32_t* rows, int32_t* counts, void* stream) {
  if (at.count == 0) return;
  select_nonzero_kernel<T>
      <<<blocks_for(at.count, kWarpsABlock), kThreads, 0, stream_of(stream)>>>(at, z, rows, counts);
  check_launch("select_nonzero");
}

template <typename T>
void drop(const Drop& drop, int64_t rows, int64_t width, const T* from, int64_t ld,
          const int64_t* words, T* out, void* stream) {
  if (rows * width == 0) return;
  drop_kernel<T, false><<<blocks_for(rows * ((width + 3) / 4)), kThreads, 0, stream_of(stream)>>>(
      Masker<T>(drop), rows, width, from, ld, words, nullptr, out);
  check_launch("drop");
}

template <typename T>
void rectify(const Drop& drop, int64_t rows, int64_t width, const T* x, int64_t ld, const T* bias,
             T* out, void* stream) {
  if (rows * width == 0) return;
  drop_kernel<T, true><<<blocks_for(rows * ((width + 3) / 4)), kThreads, 0, stream_of(stream)>>>(
      Masker<T>(drop), rows, width, x, ld, nullptr, bias, out);
  check_launch("rectify");
}

template <typename T>
void rectify_back(double p, int64_t rows, int64_t width, const T* out, const T* grad, int64_t ld,
                  T* to_x, void* stream) {
  if (rows * width == 0) return;
  const Masker<T> mask(Drop{p, nullptr, false, 0});
  rectify_back_kernel<T><<<blocks_for(rows * width), kThreads, 0, stream_of(stream)>>>(
      mask.scale, rows, width, out, grad, ld, to_x);
  check_launch("rectify_back");
}

template <typename T>
void column_sums(int64_t rows, int64_t width, const T* x, int64_t ld, T* out, void* stream) {
  if (width == 0) return;
  column_sums_kernel<T>
      <<<blocks_for(width, 32), dim3(32, 32), 0, stream_of(stream)>>>(rows, width, x, ld, out);
  check_launch("column_sums");
}

template <typename T>
void row_dots(int64_t rows, int64_t width, const T* a, const T* b, T* out, void* stream) {
  if (rows == 0) return;
  row_dots_kernel<T>
      <<<blocks_for(rows, kWarpsABlock), kThreads, 0, stream_of(stream)>>>(rows, width, a, b, out);
  check_launch("row_dots");
}

template <typename T>
void sequence_means(const Sequences& at, const T* values, T* out, void* stream) {
  if (at.count == 0) return;
  sequence_means_kernel<T>
      <<<blocks_for(at.count, kWarpsABlock), kThreads, 0, stream_of(stream)>>>(at, values, out);
  check_launch("sequence_means");
}

template <typename T>
void sequence_means_back(const Sequences& at, const T* grad, T* to_values, void* stream) {
  if (at.count == 0) return;
  sequence_means_back_kernel<T>
      <<<static_cast<unsigned>(at.count), 64, 0, stream_of(stream)>>>(at, grad, to_values);
  check_launch("sequence_means_back");
}

template <typename T>
void transitions(const Sequences& at, const T* p_zero, const T* p_nonzero, T* out, void* stream) {
  if (at.count == 0) return;
  transitions_kernel<T><<<blocks_for(at.count, kWarpsABlock), kThreads, 0, stream_of(stream)>>>(
      at, p_zero, p_nonzero, out);
  check_launch("transitions");
}

template <typename T>
void transitions_back(const Sequences& at, const T* p_zero, const T* p_nonzero, const T* grad,
                      T* to_zero, T* to_nonzero, void* stream) {
  if (at.count == 0) return;
  transitions_back_kernel<T><<<static_cast<unsigned>(at.count), 64, 0, stream_of(stream)>>>(
      at, p_zero, p_nonzero, grad, to_zero, to_nonzero);
  check_launch("transitions_back");
}

#define INSTANTIATE(T)                                                                             \
  template void row_uniforms<T>(const Sequences&, const int64_t*, StepKey, T*, void*);             \
  template void select_nonzero<T>(const Sequences&, const T*, int32_t*, int32_t*, void*);          \
  template void drop<T>(const Drop&, int64_t, int64_t, const T*, int64_t, const int64_t*, T*,      \
                        void*);                                                                    \
  template void rectify<T>(const Drop&, int64_t, int64_t, const T*, int64_t, const T*, T*, void*); \
  template void rectify_back<T>(double, int64_t, int64_t, const T*, const T*, int64_t, T*, void*); \
  template void column_sums<T>(int64_t, int64_t, const T*, int64_t, T*, void*);                    \
  template void row_dots<T>(int64_t, int64_t, const T*, const T*, T*, void*);                      \
  template void sequence_means<T>(const Sequences&, const T*, T*, void*);                          \
  template void sequence_means_back<T>(const Sequences&, const T*, T*, void*);                     \
  template void transitions<T>(const Sequences&, const T*, const T*, T*, void*);                   \
  template void transitions_back<T>(const Sequences&, const T*, const T*, const T*, T*, T*, void*);
INSTANTIATE(float)
INSTANTIATE(double)

}  // namespace hardkuma::cuda
