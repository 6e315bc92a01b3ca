#include "hardkuma/nn/cuda/cell_math.cuh"
#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/cuda/launch.cuh"

// A warp takes one sequence through its steps. Its lanes share the few units of the chain; the
// chain's weights lie in shared memory where they fit, else in the L2 cache.

namespace hardkuma::cuda {
namespace {

constexpr int kWarps = 4;  // sequences per block

struct ChainPlan {
  bool resident;
  int64_t bytes;
};

template <typename T>
ChainPlan chain_plan(int64_t weights, int64_t per_warp) {
  const int64_t own = kWarps * per_warp * static_cast<int64_t>(sizeof(T));
  const int64_t all = own + weights * static_cast<int64_t>(sizeof(T));
  return all + 1024 <= most_shared() ? ChainPlan{true, all} : ChainPlan{false, own};
}

template <typename Unit, typename T>
__global__ void __launch_bounds__(kWarps * 32)
    chain_forward_kernel(ChainForward<T> p, GateSetting<T> c, bool resident) {
  constexpr int G = Unit::G, R = Unit::R, C = Unit::C;
  extern __shared__ __align__(16) char memory[];
  const int s = static_cast<int>(p.s);
  const int k = static_cast<int>(raw_width(p.kind));
  const int columns = k + R * s;
  const int width = k + G * s;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  T* own = reinterpret_cast<T*>(memory) + warp * (s + width);
  T* state = own;    // [S] the previous hidden state
  T* row = own + s;  // [K + G·S] this word's raw values and gates
  const T* weights = p.w_chain;
  if (resident) {
    T* here = reinterpret_cast<T*>(memory) + kWarps * (s + width);
    for (int i = threadIdx.x; i < s * columns; i += blockDim.x) here[i] = p.w_chain[i];
    weights = here;
  }
  __syncthreads();
  const int64_t sequence = blockIdx.x * static_cast<int64_t>(kWarps) + warp;
  if (sequence >= p.at.count) return;
  const int length = p.at.lengths[sequence];
  int64_t behind = -1;
  for (int t = 0; t < length; ++t) {
    const int64_t here = p.at.offsets[t] + sequence;
    T* gates = p.gates + here * width;
    for (int o = lane; o < width; o += 32) {
      T sum = gates[o];
      if (t > 0 && o < columns) {
#pragma unroll 4
        for (int i = 0; i < s; ++i) sum += state[i] * weights[i * columns + o];
      }
      row[o] = sum;
    }
    __syncwarp();
    T z;
    if (p.u != nullptr) {
      const formulas::DrawnGate<T> gate = draw_gate(c, row, p.u[here]);
      z = gate.z;
      if (lane == 0) {
        p.z[here] = z;
        p.p_zero[here] = gate.p_zero;
        p.p_nonzero[here] = gate.p_nonzero;
        for (int i = 0; i < k; ++i) {
          p.slopes[2 * i * p.n + here] = gate.dz[i];
          p.slopes[(2 * i + 1) * p.n + here] = gate.dp[i];
        }
      }
    } else {
      const formulas::DecidedGate<T> gate = decide_gate(c, row);
      z = gate.z;
      if (lane == 0) {
        p.z[here] = z;
        p.p_zero[here] = gate.p_zero;
        p.p_nonzero[here] = gate.p_nonzero;
      }
    }
    for (int o = lane; o < k; o += 32) gates[o] = row[o];
    for (int j = lane; j < s; j += 32) {
      T in[G], carried[C];
      for (int g = 0; g < G; ++g) in[g] = row[k + g * s + j] + z * p.w_z[g * s + j];
      for (int n = 0; n < C; ++n) {
        carried[n] = t > 0 ? p.carried[(behind * C + n) * s + j] : T(0);
      }
      const T hidden = Unit::forward(in, carried, p.out_bias != nullptr ? p.out_bias[j] : T(0));
      for (int g = 0; g < G; ++g) gates[k + g * s + j] = in[g];
      for (int n = 0; n < C; ++n) p.carried[(here * C + n) * s + j] = carried[n];
      p.hidden[here * s + j] = hidden;
      state[j] = hidden;
    }
    __syncwarp();
    behind = here;
  }
}

template <typename Unit, typename T>
__global__ void __launch_bounds__(kWarps * 32)
    chain_backward_kernel(ChainBackward<T> p, bool resident) {
  constexpr int G = Unit::G, R = Unit::R, C = Unit::C;
  extern __shared__ __align__(16) char memory[];
  const int s = static_cast<int>(p.s);
  const int k = static_cast<int>(p.k);
  const int terms = k + R * s;
  const int width = k + G * s;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int mine = width + (2 + C) * s;
  T* row = reinterpret_cast<T*>(memory) + warp * mine;  // [K + G·S] gradients of this word's gates
  T* later = row + width;                               // [S] of the hidden state
  T* cells = later + s;                                 // [C][S]
  T* bias = cells + C * s;                              // [S]
  const T* weights = p.w_chain;
  if (resident) {
    T* here = reinterpret_cast<T*>(memory) + kWarps * mine;
    for (int i = threadIdx.x; i < terms * s; i += blockDim.x) here[i] = p.w_chain[i];
    weights = here;
  }
  __syncthreads();
  const int64_t sequence = blockIdx.x * static_cast<int64_t>(kWarps) + warp;
  if (sequence >= p.at.count) return;
  for (int j = lane; j < (2 + C) * s; j += 32) later[j] = T(0);
  __syncwarp();
  for (int t = p.at.lengths[sequence] - 1; t >= 0; --t) {
    const int64_t here = p.at.offsets[t] + sequence;
    const int64_t behind = t > 0 ? p.at.offsets[t - 1] + sequence : 0;
    T by_z = 0;
    for (int j = lane; j < s; j += 32) {
      T kept[G], c[C], before[C], dc[C], grads[G];
      for (int g = 0; g < G; ++g) kept[g] = p.gates[here * width + k + g * s + j];
      for (int n = 0; n < C; ++n) {
        c[n] = p.carried[(here * C + n) * s + j];
        before[n] = t > 0 ? p.carried[(behind * C + n) * s + j] : T(0);
        dc[n] = cells[n * s + j];
      }
      bias[j] += Unit::backward(kept, c, before, p.hidden[here * s + j], later[j], dc, grads);
      for (int n = 0; n < C; ++n) cells[n * s + j] = dc[n];
      for (int g = 0; g < G; ++g) {
        row[k + g * s + j] = grads[g];
        by_z += grads[g] * p.w_z[g * s + j];
      }
      p.previous[here * s + j] = t > 0 ? p.hidden[behind * s + j] : T(0);
    }
    by_z = warp_sum(by_z) + p.grad_z[here];
    for (int i = lane; i < k; i += 32) {
      row[i] = p.grad_raw[here * k + i] + by_z * p.slopes[2 * i * p.n + here] +
               p.grad_p[here] * p.slopes[(2 * i + 1) * p.n + here];
    }
    __syncwarp();
    for (int o = lane; o < width; o += 32) p.grad_gates[here * width + o] = row[o];
    if (t > 0) {
      for (int j = lane; j < s; j += 32) {
        T sum = 0;
#pragma unroll 4
        for (int o = 0; o < terms; ++o) sum += row[o] * weights[o * s + j];
        later[j] = sum;
      }
    }
    __syncwarp();
  }
  for (int j = lane; j < s; j += 32) p.grad_out_bias[sequence * s + j] = bias[j];
}

template <typename Unit, typename T>
void forward_of(const ChainForward<T>& p, cudaStream_t stream) {
  const int64_t k = raw_width(p.kind);
  const ChainPlan plan = chain_plan<T>(p.s * (k + Unit::R * p.s), p.s + k + Unit::G * p.s);
  allow_shared(chain_forward_kernel<Unit, T>, plan.bytes);
  chain_forward_kernel<Unit, T>
      <<<blocks_for(p.at.count, kWarps), kWarps * 32, plan.bytes, stream>>>(
          p, gate_setting<T>(p.kind, p.bounds, p.decision), plan.resident);
  check_launch("chain_forward");
}

template <typename Unit, typename T>
void backward_of(const ChainBackward<T>& p, cudaStream_t stream) {
  const ChainPlan plan =
      chain_plan<T>((p.k + Unit::R * p.s) * p.s, p.k + Unit::G * p.s + (2 + Unit::C) * p.s);
  allow_shared(chain_backward_kernel<Unit, T>, plan.bytes);
  chain_backward_kernel<Unit, T>
      <<<blocks_for(p.at.count, kWarps), kWarps * 32, plan.bytes, stream>>>(p, plan.resident);
  check_launch("chain_backward");
}

}  // namespace

template <typename T>
void chain_forward(Cell cell, const ChainForward<T>& p, void* stream) {
  if (p.at.count == 0) return;
  if (cell == Cell::Lstm) return forward_of<Lstm<T>, T>(p, stream_of(stream));
  forward_of<Rcnn<T>, T>(p, stream_of(stream));
}

template <typename T>
void chain_backward(Cell cell, const ChainBackward<T>& p, void* stream) {
  if (p.at.count == 0) return;
  if (cell == Cell::Lstm) return backward_of<Lstm<T>, T>(p, stream_of(stream));
  backward_of<Rcnn<T>, T>(p, stream_of(stream));
}

template void chain_forward<float>(Cell, const ChainForward<float>&, void*);
template void chain_forward<double>(Cell, const ChainForward<double>&, void*);
template void chain_backward<float>(Cell, const ChainBackward<float>&, void*);
template void chain_backward<double>(Cell, const ChainBackward<double>&, void*);

}  // namespace hardkuma::cuda
