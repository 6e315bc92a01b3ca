#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/cuda/launch.cuh"

// One block per pair, or a few that share its work; the texts are short.

namespace hardkuma::cuda {
namespace {

struct Pair {
  int64_t first, second, cell;
  int n, m;  // words of the first text, of the second
};

__device__ Pair pair_of(const PairTable& at, int64_t i) {
  const int32_t* at_i = at.layout + 5 * i;
  return {at_i[0], at_i[2], at_i[4], at_i[1], at_i[3]};
}

__device__ int warp_of() {
  return threadIdx.x / 32;
}
__device__ int warps() {
  return blockDim.x / 32;
}

template <typename T>
__device__ T warp_dot(int64_t h, const T* a, const T* b) {
  T sum = 0;
  for (int64_t c = threadIdx.x % 32; c < h; c += 32) sum += a[c] * b[c];
  return warp_sum(sum);
}

__global__ void pair_row_keys_kernel(PairTable at, const int64_t* example_ids, StepKey step,
                                     int64_t* out) {
  const Pair p = pair_of(at, blockIdx.x);
  const RandomKey example = step.device_key().with(static_cast<uint64_t>(example_ids[blockIdx.x]));
  for (int t = threadIdx.x; t < p.n; t += blockDim.x) {
    out[p.first + t] = static_cast<int64_t>(example.with(0).with(static_cast<uint64_t>(t)).state());
  }
  for (int t = threadIdx.x; t < p.m; t += blockDim.x) {
    out[p.second + t] =
        static_cast<int64_t>(example.with(1).with(static_cast<uint64_t>(t)).state());
  }
}

template <typename T>
__global__ void cell_uniforms_kernel(PairTable at, const int64_t* example_ids, StepKey step, T* out) {
  const Pair p = pair_of(at, blockIdx.x);
  const RandomKey example = step.device_key().with(static_cast<uint64_t>(example_ids[blockIdx.x]));
  for (int c = threadIdx.x; c < p.n * p.m; c += blockDim.x) {
    out[p.cell + c] = static_cast<T>(example.with(static_cast<uint64_t>(c)).uniform());
  }
}

template <typename T>
__global__ void pair_scores_kernel(PairTable at, int64_t h, int64_t cells, const T* x, T* out) {
  const Pair p = pair_of(at, blockIdx.x);
  const int64_t head = blockIdx.y;
  const int64_t width = gridDim.y * h;
  for (int c = warp_of(); c < p.n * p.m; c += warps()) {
    const int i = c / p.m;
    const int j = c - i * p.m;
    const T sum =
        warp_dot(h, x + (p.first + i) * width + head * h, x + (p.second + j) * width + head * h);
    if (threadIdx.x % 32 == 0) out[head * cells + p.cell + c] = sum;
  }
}

template <typename T>
__global__ void pair_scores_back_kernel(PairTable at, int64_t h, int64_t cells, const T* x,
                                        const T* grad, T* out) {
  const Pair p = pair_of(at, blockIdx.x);
  const int64_t head = blockIdx.y;
  const int64_t width = gridDim.y * h;
  const T* g = grad + head * cells + p.cell;
  const bool itself = p.first == p.second;
  const int64_t count = (p.n + (itself ? 0 : p.m)) * h;
  for (int64_t item = threadIdx.x; item < count; item += blockDim.x) {
    const int row = static_cast<int>(item / h);
    const int64_t c = item - row * h + head * h;
    T sum = 0;
    if (row < p.n) {
      for (int j = 0; j < p.m; ++j) sum += g[row * p.m + j] * x[(p.second + j) * width + c];
    }
    if (row >= p.n || itself) {
      const int j = itself ? row : row - p.n;
      for (int i = 0; i < p.n; ++i) sum += g[i * p.m + j] * x[(p.first + i) * width + c];
    }
    out[(row < p.n ? p.first + row : p.second + row - p.n) * width + c] = sum;
  }
}

// A row or column of a pair's cells: its first cell, number of cells and stride.
struct Line {
  int64_t from;
  int count, stride;
};

__device__ Line line_of(const Pair& p, bool columns, int i) {
  return columns ? Line{p.cell + i, p.n, p.m}
                 : Line{p.cell + static_cast<int64_t>(i) * p.m, p.m, 1};
}

template <typename T>
__global__ void pair_softmax_kernel(PairTable at, PairSoftmax<T> s) {
  const Pair p = pair_of(at, blockIdx.x);
  const int lane = threadIdx.x % 32;
  for (int l = warp_of(); l < p.n + p.m; l += warps()) {
    const bool columns = l >= p.n;
    const Line line = line_of(p, columns, columns ? l - p.n : l);
    T* weight = s.weights[columns ? 1 : 0];
    T* slope = s.slopes[columns ? 1 : 0];
    const auto gate = [&](int64_t c) { return s.z != nullptr ? s.z[c] : T(1); };
    T most = -INFINITY;
    for (int i = lane; i < line.count; i += 32) {
      const int64_t c = line.from + static_cast<int64_t>(i) * line.stride;
      if (gate(c) > T(0) && s.scores[c] > most) most = s.scores[c];
    }
    for (int by = 16; by > 0; by /= 2) {
      const T other = __shfl_xor_sync(0xffffffffu, most, by);
      most = other > most ? other : most;
    }
    const bool none = isinf(most);
    T sum = 0;
    for (int i = lane; i < line.count; i += 32) {
      const int64_t c = line.from + static_cast<int64_t>(i) * line.stride;
      const T above = s.scores[c] - most;
      const T e = none ? T(0) : exp(above < T(30) ? above : T(30));
      slope[c] = e;
      sum += gate(c) * e;
    }
    sum = warp_sum(sum);
    for (int i = lane; i < line.count; i += 32) {
      const int64_t c = line.from + static_cast<int64_t>(i) * line.stride;
      slope[c] = none ? T(0) : slope[c] / sum;
      weight[c] = gate(c) * slope[c];
    }
  }
}

// Columns are processed after rows and add to their results: no two warps write one cell at a time.
template <typename T>
__global__ void pair_softmax_back_kernel(PairTable at, PairSoftmaxBack<T> s) {
  const Pair p = pair_of(at, blockIdx.x);
  const int lane = threadIdx.x % 32;
  for (int turn = 0; turn < 2; ++turn) {
    const bool columns = turn == 1;
    const T* slope = s.slopes[turn];
    const T* grad = s.grads[turn];
    for (int l = warp_of(); l < (columns ? p.m : p.n); l += warps()) {
      const Line line = line_of(p, columns, l);
      T mean = 0;
      for (int i = lane; i < line.count; i += 32) {
        const int64_t c = line.from + static_cast<int64_t>(i) * line.stride;
        mean += (s.z != nullptr ? s.z[c] : T(1)) * slope[c] * grad[c];
      }
      mean = warp_sum(mean);
      for (int i = lane; i < line.count; i += 32) {
        const int64_t c = line.from + static_cast<int64_t>(i) * line.stride;
        const T change = slope[c] * (grad[c] - mean);
        const T gate = s.z != nullptr ? s.z[c] : T(1);
        s.to_scores[c] = (columns ? s.to_scores[c] : T(0)) + gate * change;
        if (s.to_z != nullptr) s.to_z[c] = (columns ? s.to_z[c] : T(0)) + change;
      }
    }
    __syncthreads();
  }
}

template <typename T>
__global__ void pair_mix_kernel(PairTable at, int64_t h, const T* by_row, const T* by_column,
                                const T* x, int64_t ld, const T* base, int64_t ld_base, T* out) {
  const Pair p = pair_of(at, blockIdx.x);
  const int64_t count = (p.n + (by_column != nullptr ? p.m : 0)) * h;
  for (int64_t item = threadIdx.x + blockIdx.y * blockDim.x; item < count;
       item += blockDim.x * gridDim.y) {
    const int line = static_cast<int>(item / h);
    const int64_t c = item - line * h;
    const int64_t row = line < p.n ? p.first + line : p.second + line - p.n;
    T sum = base != nullptr ? base[row * ld_base + c] : T(0);
    if (line < p.n) {
      for (int j = 0; j < p.m; ++j) {
        sum += by_row[p.cell + line * p.m + j] * x[(p.second + j) * ld + c];
      }
    } else {
      for (int i = 0; i < p.n; ++i) {
        sum += by_column[p.cell + i * p.m + line - p.n] * x[(p.first + i) * ld + c];
      }
    }
    out[row * h + c] = sum;
  }
}

template <typename T>
__global__ void pair_mix_back_kernel(PairTable at, int64_t h, const T* by_row, const T* by_column,
                                     const T* x, int64_t ld, const T* grad, T* to_rows,
                                     T* to_columns, T* to_x) {
  const Pair p = pair_of(at, blockIdx.x);
  if (blockIdx.y == 0) {
    for (int c = warp_of(); c < p.n * p.m; c += warps()) {
      const int i = c / p.m;
      const int j = c - i * p.m;
      const T by = warp_dot(h, grad + (p.first + i) * h, x + (p.second + j) * ld);
      const T of = by_column != nullptr
                       ? warp_dot(h, x + (p.first + i) * ld, grad + (p.second + j) * h)
                       : T(0);
      if (threadIdx.x % 32 == 0) {
        to_rows[p.cell + c] = by;
        if (by_column != nullptr) to_columns[p.cell + c] = of;
      }
    }
    return;
  }
  const int64_t count = (p.m + (by_column != nullptr ? p.n : 0)) * h;
  for (int64_t item = threadIdx.x; item < count; item += blockDim.x) {
    const int line = static_cast<int>(item / h);
    const int64_t c = item - line * h;
    T sum = 0;
    if (line < p.m) {
      for (int i = 0; i < p.n; ++i) {
        sum += by_row[p.cell + i * p.m + line] * grad[(p.first + i) * h + c];
      }
      to_x[(p.second + line) * h + c] = sum;
    } else {
      const int i = line - p.m;
      for (int j = 0; j < p.m; ++j) {
        sum += by_column[p.cell + i * p.m + j] * grad[(p.second + j) * h + c];
      }
      to_x[(p.first + i) * h + c] = sum;
    }
  }
}

template <typename T>
__global__ void pair_sums_kernel(PairTable at, int64_t h, const T* x, T* out) {
  const Pair p = pair_of(at, blockIdx.x);
  const int64_t from = blockIdx.y == 0 ? p.first : p.second;
  const int count = blockIdx.y == 0 ? p.n : p.m;
  for (int64_t c = threadIdx.x; c < h; c += blockDim.x) {
    T sum = 0;
    for (int r = 0; r < count; ++r) sum += x[(from + r) * h + c];
    out[(blockIdx.x * 2 + blockIdx.y) * h + c] = sum;
  }
}

template <typename T>
__global__ void pair_sums_back_kernel(PairTable at, int64_t h, const T* grad, T* out) {
  const Pair p = pair_of(at, blockIdx.x);
  const int64_t from = blockIdx.y == 0 ? p.first : p.second;
  const int count = blockIdx.y == 0 ? p.n : p.m;
  for (int64_t c = threadIdx.x; c < h; c += blockDim.x) {
    const T g = grad[(blockIdx.x * 2 + blockIdx.y) * h + c];
    for (int r = 0; r < count; ++r) out[(from + r) * h + c] = g;
  }
}

template <typename T>
__global__ void pair_means_kernel(PairTable at, const T* values, T* out) {
  const Pair p = pair_of(at, blockIdx.x);
  T sum = 0;
  for (int c = threadIdx.x; c < p.n * p.m; c += blockDim.x) sum += values[p.cell + c];
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum / static_cast<T>(p.n * p.m);
}

template <typename T>
__global__ void pair_means_back_kernel(PairTable at, const T* grad, T* out) {
  const Pair p = pair_of(at, blockIdx.x);
  const T share = grad[blockIdx.x] / static_cast<T>(p.n * p.m);
  for (int c = threadIdx.x; c < p.n * p.m; c += blockDim.x) out[p.cell + c] = share;
}

dim3 grid(const PairTable& at, int64_t lines = 1) {
  return {static_cast<unsigned>(at.count), static_cast<unsigned>(lines), 1};
}

}  // namespace

void pair_row_keys(const PairTable& at, const int64_t* example_ids, StepKey step, int64_t* out,
                   void* stream) {
  if (at.count == 0) return;
  pair_row_keys_kernel<<<grid(at), 64, 0, stream_of(stream)>>>(at, example_ids, step, out);
  check_launch("pair_row_keys");
}

template <typename T>
void cell_uniforms(const PairTable& at, const int64_t* example_ids, StepKey step, T* out,
                   void* stream) {
  if (at.count == 0) return;
  cell_uniforms_kernel<T><<<grid(at), kThreads, 0, stream_of(stream)>>>(at, example_ids, step, out);
  check_launch("cell_uniforms");
}

template <typename T>
void pair_scores(const PairTable& at, int64_t heads, int64_t h, int64_t cells, const T* x, T* out,
                 void* stream) {
  if (at.count == 0) return;
  pair_scores_kernel<T><<<grid(at, heads), kThreads, 0, stream_of(stream)>>>(at, h, cells, x, out);
  check_launch("pair_scores");
}

template <typename T>
void pair_scores_back(const PairTable& at, int64_t heads, int64_t h, int64_t cells, const T* x,
                      const T* grad, T* out, void* stream) {
  if (at.count == 0) return;
  pair_scores_back_kernel<T>
      <<<grid(at, heads), kThreads, 0, stream_of(stream)>>>(at, h, cells, x, grad, out);
  check_launch("pair_scores_back");
}

template <typename T>
void pair_softmax(const PairTable& at, const PairSoftmax<T>& p, void* stream) {
  if (at.count == 0) return;
  pair_softmax_kernel<T><<<grid(at), kThreads, 0, stream_of(stream)>>>(at, p);
  check_launch("pair_softmax");
}

template <typename T>
void pair_softmax_back(const PairTable& at, const PairSoftmaxBack<T>& p, void* stream) {
  if (at.count == 0) return;
  pair_softmax_back_kernel<T><<<grid(at), kThreads, 0, stream_of(stream)>>>(at, p);
  check_launch("pair_softmax_back");
}

template <typename T>
void pair_mix(const PairTable& at, int64_t h, const T* by_row, const T* by_column, const T* x,
              int64_t ld, const T* base, int64_t ld_base, T* out, void* stream) {
  if (at.count == 0) return;
  pair_mix_kernel<T><<<grid(at, 4), kThreads, 0, stream_of(stream)>>>(at, h, by_row, by_column, x,
                                                                      ld, base, ld_base, out);
  check_launch("pair_mix");
}

template <typename T>
void pair_mix_back(const PairTable& at, int64_t h, const T* by_row, const T* by_column, const T* x,
                   int64_t ld, const T* grad, T* to_rows, T* to_columns, T* to_x, void* stream) {
  if (at.count == 0) return;
  pair_mix_back_kernel<T><<<grid(at, 2), kThreads, 0, stream_of(stream)>>>(
      at, h, by_row, by_column, x, ld, grad, to_rows, to_columns, to_x);
  check_launch("pair_mix_back");
}

template <typename T>
void pair_sums(const PairTable& at, int64_t h, const T* x, T* out, void* stream) {
  if (at.count == 0) return;
  pair_sums_kernel<T><<<grid(at, 2), kThreads, 0, stream_of(stream)>>>(at, h, x, out);
  check_launch("pair_sums");
}

template <typename T>
void pair_sums_back(const PairTable& at, int64_t h, const T* grad, T* out, void* stream) {
  if (at.count == 0) return;
  pair_sums_back_kernel<T><<<grid(at, 2), kThreads, 0, stream_of(stream)>>>(at, h, grad, out);
  check_launch("pair_sums_back");
}

template <typename T>
void pair_means(const PairTable& at, const T* values, T* out, void* stream) {
  if (at.count == 0) return;
  pair_means_kernel<T><<<grid(at), kThreads, 0, stream_of(stream)>>>(at, values, out);
  check_launch("pair_means");
}

template <typename T>
void pair_means_back(const PairTable& at, const T* grad, T* out, void* stream) {
  if (at.count == 0) return;
  pair_means_back_kernel<T><<<grid(at), kThreads, 0, stream_of(stream)>>>(at, grad, out);
  check_launch("pair_means_back");
}

#define INSTANTIATE(T)                                                                             \
  template void cell_uniforms<T>(const PairTable&, const int64_t*, StepKey, T*, void*);            \
  template void pair_scores<T>(const PairTable&, int64_t, int64_t, int64_t, const T*, T*, void*);  \
  template void pair_scores_back<T>(const PairTable&, int64_t, int64_t, int64_t, const T*,         \
                                    const T*, T*, void*);                                          \
  template void pair_softmax<T>(const PairTable&, const PairSoftmax<T>&, void*);                   \
  template void pair_softmax_back<T>(const PairTable&, const PairSoftmaxBack<T>&, void*);          \
  template void pair_mix<T>(const PairTable&, int64_t, const T*, const T*, const T*, int64_t,      \
                            const T*, int64_t, T*, void*);                                         \
  template void pair_mix_back<T>(const PairTable&, int64_t, const T*, const T*, const T*, int64_t, \
                                 const T*, T*, T*, T*, void*);                                     \
  template void pair_sums<T>(const PairTable&, int64_t, const T*, T*, void*);                      \
  template void pair_sums_back<T>(const PairTable&, int64_t, const T*, T*, void*);                 \
  template void pair_means<T>(const PairTable&, const T*, T*, void*);                              \
  template void pair_means_back<T>(const PairTable&, const T*, T*, void*);
INSTANTIATE(float)
INSTANTIATE(double)

}  // namespace hardkuma::cuda
