#include <algorithm>

#include "hardkuma/nn/cuda/cell_math.cuh"
#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/cuda/launch.cuh"

// A block takes kTogether sequences through all their steps in one direction. A step is a product
// of their states with the recurrent weights, then the cell's arithmetic. The first rows of the
// weights stay in shared memory; the rest is read from the L2 cache in every step. The product's
// sum is split into parts over the threads, so that enough threads hide the memory latency.

namespace hardkuma::cuda {
namespace {

constexpr int kMostThreads = 1024;
constexpr int64_t kSpare = 1024;  // bytes of shared memory for a kernel's own __shared__ variables

struct Plan {
  int threads;
  int parts;      // of the product's sum
  int resident;   // rows of the weights in shared memory
  int64_t bytes;  // of shared memory
};

// For `columns` sums over `terms` terms each, with `others` more values in shared memory.
template <typename T>
Plan plan_of(int64_t columns, int64_t terms, int64_t together, int64_t others) {
  Plan out{};
  out.parts = static_cast<int>(
      std::clamp<int64_t>(kMostThreads / columns, 1, std::max<int64_t>(1, terms / 16)));
  out.threads =
      static_cast<int>(std::min<int64_t>(kMostThreads, round_up(columns * out.parts, 32)));
  const int64_t rest = (others + out.parts * together * columns) * static_cast<int64_t>(sizeof(T));
  const int64_t row = columns * static_cast<int64_t>(sizeof(T));
  const int64_t left = std::max<int64_t>(0, most_shared() - rest - kSpare);
  out.resident = static_cast<int>(std::min(terms, left / row));
  out.bytes = rest + out.resident * row;
  return out;
}

// One term's values for the block's sequences: contiguous, read at once.
template <typename T, int kTogether>
struct alignas(kTogether * sizeof(T) < 16 ? kTogether * sizeof(T) : 16) Values {
  T of[kTogether];
};

// out[part][b][column] = Σ over the part's terms of states[term][b] · weights[term][column].
template <typename T, int kTogether>
__device__ void products(const Plan& plan, int columns, int terms, const T* resident,
                         const T* weights, const T* states_in, T* out) {
  const auto* states = reinterpret_cast<const Values<T, kTogether>*>(states_in);
  for (int i = threadIdx.x; i < columns * plan.parts; i += blockDim.x) {
    const int part = i / columns;
    const int column = i - part * columns;
    const int from = part * terms / plan.parts;
    const int to = (part + 1) * terms / plan.parts;
    const int middle = max(from, min(to, plan.resident));
    T sums[kTogether] = {};
    int k = from;
#pragma unroll 8
    for (; k < middle; ++k) {
      const T w = resident[k * columns + column];
      const Values<T, kTogether> value = states[k];
#pragma unroll
      for (int b = 0; b < kTogether; ++b) sums[b] += w * value.of[b];
    }
#pragma unroll 8
    for (; k < to; ++k) {
      const T w = __ldg(weights + k * columns + column);
      const Values<T, kTogether> value = states[k];
#pragma unroll
      for (int b = 0; b < kTogether; ++b) sums[b] += w * value.of[b];
    }
#pragma unroll
    for (int b = 0; b < kTogether; ++b) out[(part * kTogether + b) * columns + column] = sums[b];
  }
}

template <typename T, int kTogether>
__device__ T sum_of_parts(const Plan& plan, int columns, const T* parts, int b, int column) {
  T sum = 0;
  for (int part = 0; part < plan.parts; ++part) {
    sum += parts[(part * kTogether + b) * columns + column];
  }
  return sum;
}

__device__ int64_t row_at(const Sequences& at, const ReadRows& read, int sequence, int t) {
  return read.rows != nullptr ? read.rows[at.starts[sequence] + t] : at.offsets[t] + sequence;
}

template <typename Unit, typename T, int kTogether>
__global__ void __launch_bounds__(kMostThreads) forward_kernel(RecurrenceForward<T> p, Plan plan) {
  constexpr int G = Unit::G, R = Unit::R, C = Unit::C, K = Unit::K;
  extern __shared__ __align__(16) char memory[];
  const int h = static_cast<int>(p.h);
  const int columns = R * h;
  const int direction = blockIdx.y;
  const int first = blockIdx.x * kTogether;
  T* states = reinterpret_cast<T*>(memory);  // [H][kTogether]
  T* resident = states + h * kTogether;
  T* parts = resident + plan.resident * columns;
  T* cells = parts + plan.parts * kTogether * columns;  // [kTogether][C][H]
  const T* weights = p.recurrent + direction * h * columns;
  __shared__ int lengths[kTogether];
  if (threadIdx.x < kTogether) {
    const int i = first + threadIdx.x;
    lengths[threadIdx.x] = i < p.at.count ? p.read.counts[i] : 0;
  }
  for (int i = threadIdx.x; i < plan.resident * columns; i += blockDim.x) resident[i] = weights[i];
  for (int i = threadIdx.x; i < h * kTogether; i += blockDim.x) states[i] = T(0);
  for (int i = threadIdx.x; i < kTogether * C * h; i += blockDim.x) cells[i] = T(0);
  __syncthreads();
  int longest = 0;
  for (int b = 0; b < kTogether; ++b) longest = max(longest, lengths[b]);

  const auto row_of = [&](int b, int s) {
    return row_at(p.at, p.read, first + b, direction == 0 ? s : lengths[b] - 1 - s);
  };
  const auto input = [&](int64_t row, int j, T* in) {
    const T* from = p.projected + (row * 2 + direction) * G * h + j;
    const T scale = p.scale != nullptr ? p.scale[row] : T(1);
    for (int g = 0; g < G; ++g) in[g] = scale * from[g * h];
  };
  // A thread's first unit: its inputs are loaded before the product, to hide the latency.
  const int own_b = threadIdx.x / h;
  const int own_j = threadIdx.x - own_b * h;
  for (int s = 0; s < longest; ++s) {
    T early[G];
    int64_t early_row = -1;
    if (own_b < kTogether && s < lengths[own_b]) {
      early_row = row_of(own_b, s);
      input(early_row, own_j, early);
    }
    if (s > 0) {
      products<T, kTogether>(plan, columns, h, resident, weights, states, parts);
      __syncthreads();
    }
    for (int i = threadIdx.x; i < kTogether * h; i += blockDim.x) {
      const int b = i / h;
      const int j = i - b * h;
      if (s >= lengths[b]) continue;
      T gates[G];
      int64_t row = early_row;
      if (i == static_cast<int>(threadIdx.x)) {
        for (int g = 0; g < G; ++g) gates[g] = early[g];
      } else {
        row = row_of(b, s);
        input(row, j, gates);
      }
      for (int g = 0; g < R; ++g) {
        gates[g] += p.bias[direction * columns + g * h + j];
        if (s > 0) gates[g] += sum_of_parts<T, kTogether>(plan, columns, parts, b, g * h + j);
      }
      T c[C];
      for (int n = 0; n < C; ++n) c[n] = cells[(b * C + n) * h + j];
      T hidden =
          Unit::forward(gates, c, p.out_bias != nullptr ? p.out_bias[direction * h + j] : T(0));
      if (p.fade != nullptr) {
        const T z = p.fade[row];
        for (int n = 0; n < C; ++n) {
          p.cell_carried[((row * 2 + direction) * C + n) * h + j] = c[n];
          c[n] = formulas::faded(z, cells[(b * C + n) * h + j], c[n]);
        }
        p.cell_hidden[(row * 2 + direction) * h + j] = hidden;
        hidden = formulas::faded(z, states[j * kTogether + b], hidden);
      }
      for (int n = 0; n < C; ++n) {
        cells[(b * C + n) * h + j] = c[n];
        p.carried[((row * 2 + direction) * C + n) * h + j] = c[n];
      }
      for (int n = 0; n < K; ++n) p.kept[((row * 2 + direction) * K + n) * h + j] = gates[n];
      p.hidden[(row * 2 + direction) * h + j] = hidden;
      if (s == lengths[b] - 1) p.final[((first + b) * 2 + direction) * h + j] = hidden;
      states[j * kTogether + b] = hidden;
    }
    __syncthreads();
  }
}

template <typename Unit, typename T, int kTogether>
__global__ void __launch_bounds__(kMostThreads)
    backward_kernel(RecurrenceBackward<T> p, Plan plan) {
  constexpr int G = Unit::G, R = Unit::R, C = Unit::C, K = Unit::K;
  extern __shared__ __align__(16) char memory[];
  const int h = static_cast<int>(p.h);
  const int terms = R * h;
  const int direction = blockIdx.y;
  const int first = blockIdx.x * kTogether;
  T* slopes = reinterpret_cast<T*>(memory);  // [R·H][kTogether] gradients of the gates
  T* resident = slopes + terms * kTogether;
  T* parts = resident + plan.resident * h;
  T* cells = parts + plan.parts * kTogether * h;  // [kTogether][C][H]
  T* biases = cells + kTogether * C * h;          // [kTogether][R + 1][H]
  T* pasts = biases + kTogether * (R + 1) * h;    // [kTogether][H] past a faded step's cell
  const T* weights = p.w_hh + direction * terms * h;
  __shared__ int lengths[kTogether];
  if (threadIdx.x < kTogether) {
    const int i = first + threadIdx.x;
    lengths[threadIdx.x] = i < p.at.count ? p.read.counts[i] : 0;
  }
  for (int i = threadIdx.x; i < plan.resident * h; i += blockDim.x) resident[i] = weights[i];
  for (int i = threadIdx.x; i < kTogether * C * h; i += blockDim.x) cells[i] = T(0);
  for (int i = threadIdx.x; i < kTogether * (R + 1) * h; i += blockDim.x) biases[i] = T(0);
  for (int i = threadIdx.x; i < kTogether * h; i += blockDim.x) pasts[i] = T(0);
  __syncthreads();
  int longest = 0;
  for (int b = 0; b < kTogether; ++b) longest = max(longest, lengths[b]);

  const auto row_of = [&](int b, int s) {
    return row_at(p.at, p.read, first + b, direction == 0 ? s : lengths[b] - 1 - s);
  };
  struct Saved {
    T kept[K], c[C], before[C], hidden, previous, above;
    int64_t row;
  };
  const auto load = [&](int b, int j, int s) {
    Saved out;
    out.row = row_of(b, s);
    const int64_t at = out.row * 2 + direction;
    for (int n = 0; n < K; ++n) out.kept[n] = p.kept[(at * K + n) * h + j];
    for (int n = 0; n < C; ++n) out.c[n] = p.cell_carried[(at * C + n) * h + j];
    out.hidden = p.cell_hidden[at * h + j];
    out.above = p.grad_hidden != nullptr ? p.grad_hidden[at * h + j] : T(0);
    if (p.grad_final != nullptr && s == lengths[b] - 1) {
      out.above += p.grad_final[((first + b) * 2 + direction) * h + j];
    }
    out.previous = T(0);
    for (int n = 0; n < C; ++n) out.before[n] = T(0);
    if (s > 0) {
      const int64_t behind = row_of(b, s - 1) * 2 + direction;
      for (int n = 0; n < C; ++n) out.before[n] = p.carried[(behind * C + n) * h + j];
      out.previous = p.hidden[behind * h + j];
    }
    return out;
  };
  const int own_b = threadIdx.x / h;
  const int own_j = threadIdx.x - own_b * h;
  for (int s = longest - 1; s >= 0; --s) {
    Saved early{};
    if (own_b < kTogether && s < lengths[own_b]) early = load(own_b, own_j, s);
    if (s < longest - 1) {
      products<T, kTogether>(plan, h, terms, resident, weights, slopes, parts);
      __syncthreads();
    }
    for (int i = threadIdx.x; i < kTogether * h; i += blockDim.x) {
      const int b = i / h;
      const int j = i - b * h;
      if (s >= lengths[b]) {
        for (int g = 0; g < R; ++g) slopes[(g * h + j) * kTogether + b] = T(0);
        continue;
      }
      const Saved at = i == static_cast<int>(threadIdx.x) ? early : load(b, j, s);
      T dh = at.above;
      if (s < longest - 1) dh += sum_of_parts<T, kTogether>(plan, h, parts, b, j);
      dh += pasts[b * h + j];
      T dc[C], rest[C], grads[G];
      for (int n = 0; n < C; ++n) {
        dc[n] = cells[(b * C + n) * h + j];
        rest[n] = T(0);
      }
      if (p.fade != nullptr) {
        const T z = p.fade[at.row];
        T slope = dh * (at.hidden - at.previous);
        pasts[b * h + j] = (T(1) - z) * dh;
        dh *= z;
        for (int n = 0; n < C; ++n) {
          slope += dc[n] * (at.c[n] - at.before[n]);
          rest[n] = (T(1) - z) * dc[n];
          dc[n] *= z;
        }
        p.grad_fade[(at.row * 2 + direction) * h + j] = slope;
      }
      const T out_bias = Unit::backward(at.kept, at.c, at.before, at.hidden, dh, dc, grads);
      for (int n = 0; n < C; ++n) cells[(b * C + n) * h + j] = dc[n] + rest[n];
      for (int g = 0; g < G; ++g) {
        p.grad_gates[((at.row * 2 + direction) * G + g) * h + j] = grads[g];
      }
      p.previous[(direction * p.rows + at.row) * h + j] = at.previous;
      for (int g = 0; g < R; ++g) {
        slopes[(g * h + j) * kTogether + b] = grads[g];
        biases[(b * (R + 1) + g) * h + j] += grads[g];
      }
      biases[(b * (R + 1) + R) * h + j] += out_bias;
    }
    __syncthreads();
  }
  T* to = p.grad_bias + (blockIdx.x * 2 + direction) * (R + 1) * h;
  for (int i = threadIdx.x; i < (R + 1) * h; i += blockDim.x) {
    T sum = 0;
    for (int b = 0; b < kTogether; ++b) sum += biases[b * (R + 1) * h + i];
    to[i] = sum;
  }
}

template <typename Unit, typename T>
Plan forward_plan(int64_t h, int together) {
  return plan_of<T>(Unit::R * h, h, together, (1 + Unit::C) * together * h);
}

template <typename Unit, typename T>
Plan backward_plan(int64_t h, int together) {
  return plan_of<T>(h, Unit::R * h, together, (Unit::R + Unit::C + Unit::R + 2) * together * h);
}

// Sequences per block: few enough that the blocks of both directions fill the GPU, and that the
// block's data fits in shared memory.
template <typename MakePlan>
int together_of(int64_t sequences, const MakePlan& plan) {
  const int64_t wanted = (2 * sequences + multiprocessors() - 1) / multiprocessors();
  int together = wanted <= 1 ? 1 : wanted <= 2 ? 2 : wanted <= 4 ? 4 : 8;
  while (together > 1 && plan(together).bytes + kSpare > most_shared()) together /= 2;
  return together;
}

template <typename Unit, typename T>
int backward_together(int64_t sequences, int64_t h) {
  return together_of(sequences, [h](int together) { return backward_plan<Unit, T>(h, together); });
}

// Throws if even one sequence per block is too much.
void check_size(const Plan& plan, int64_t h) {
  if (plan.bytes + kSpare <= most_shared()) return;
  throw std::runtime_error(std::to_string(h) +
                           " hidden units are more than this GPU's shared memory holds; use fewer, "
                           "or --device cpu");
}

dim3 grid_of(int64_t sequences, int together) {
  return {blocks_for(sequences, together), 2, 1};
}

template <typename Unit, typename T, int kTogether>
void forward_of(const RecurrenceForward<T>& p, cudaStream_t stream) {
  const Plan plan = forward_plan<Unit, T>(p.h, kTogether);
  check_size(plan, p.h);
  allow_shared(forward_kernel<Unit, T, kTogether>, plan.bytes);
  forward_kernel<Unit, T, kTogether>
      <<<grid_of(p.at.count, kTogether), plan.threads, plan.bytes, stream>>>(p, plan);
  check_launch("recurrence_forward");
}

template <typename Unit, typename T, int kTogether>
void backward_of(const RecurrenceBackward<T>& p, cudaStream_t stream) {
  const Plan plan = backward_plan<Unit, T>(p.h, kTogether);
  check_size(plan, p.h);
  allow_shared(backward_kernel<Unit, T, kTogether>, plan.bytes);
  backward_kernel<Unit, T, kTogether>
      <<<grid_of(p.at.count, kTogether), plan.threads, plan.bytes, stream>>>(p, plan);
  check_launch("recurrence_backward");
}

template <typename Unit, typename T>
void forward_any(const RecurrenceForward<T>& p, cudaStream_t stream) {
  switch (together_of(p.at.count, [&](int n) { return forward_plan<Unit, T>(p.h, n); })) {
    case 1:
      return forward_of<Unit, T, 1>(p, stream);
    case 2:
      return forward_of<Unit, T, 2>(p, stream);
    case 4:
      return forward_of<Unit, T, 4>(p, stream);
    default:
      return forward_of<Unit, T, 8>(p, stream);
  }
}

template <typename Unit, typename T>
void backward_any(const RecurrenceBackward<T>& p, cudaStream_t stream) {
  switch (backward_together<Unit, T>(p.at.count, p.h)) {
    case 1:
      return backward_of<Unit, T, 1>(p, stream);
    case 2:
      return backward_of<Unit, T, 2>(p, stream);
    case 4:
      return backward_of<Unit, T, 4>(p, stream);
    default:
      return backward_of<Unit, T, 8>(p, stream);
  }
}

}  // namespace

template <typename T>
int64_t recurrence_blocks(Cell cell, int64_t sequences, int64_t h) {
  return blocks_for(sequences, cell == Cell::Lstm ? backward_together<Lstm<T>, T>(sequences, h)
                                                  : backward_together<Rcnn<T>, T>(sequences, h));
}

template <typename T>
void recurrence_forward(Cell cell, const RecurrenceForward<T>& p, void* stream) {
  if (p.at.count == 0) return;
  if (cell == Cell::Lstm) return forward_any<Lstm<T>, T>(p, stream_of(stream));
  forward_any<Rcnn<T>, T>(p, stream_of(stream));
}

template <typename T>
void recurrence_backward(Cell cell, const RecurrenceBackward<T>& p, void* stream) {
  if (p.at.count == 0) return;
  if (cell == Cell::Lstm) return backward_any<Lstm<T>, T>(p, stream_of(stream));
  backward_any<Rcnn<T>, T>(p, stream_of(stream));
}

template int64_t recurrence_blocks<float>(Cell, int64_t, int64_t);
template int64_t recurrence_blocks<double>(Cell, int64_t, int64_t);
template void recurrence_forward<float>(Cell, const RecurrenceForward<float>&, void*);
template void recurrence_forward<double>(Cell, const RecurrenceForward<double>&, void*);
template void recurrence_backward<float>(Cell, const RecurrenceBackward<float>&, void*);
template void recurrence_backward<double>(Cell, const RecurrenceBackward<double>&, void*);

}  // namespace hardkuma::cuda
