#include "hardkuma/nn/cuda/gate_math.cuh"
#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/cuda/launch.cuh"

namespace hardkuma::cuda {
namespace {

template <typename T>
__global__ void gates_kernel(GateSetting<T> c, GateRows<T> rows, int k) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= rows.n) return;
  const T* raw = rows.raw + i * rows.ld_raw;
  if (rows.u == nullptr) {
    const formulas::DecidedGate<T> gate = decide_gate(c, raw);
    rows.z[i] = gate.z;
    rows.p_zero[i] = gate.p_zero;
    rows.p_nonzero[i] = gate.p_nonzero;
    return;
  }
  const formulas::DrawnGate<T> gate = draw_gate(c, raw, rows.u[i]);
  rows.z[i] = gate.z;
  rows.p_zero[i] = gate.p_zero;
  rows.p_nonzero[i] = gate.p_nonzero;
  for (int j = 0; j < k; ++j) {
    rows.dz[j][i] = gate.dz[j];
    rows.dp[j][i] = gate.dp[j];
  }
}

struct Range {
  double low[2], high[2];
};

Range range_of(int64_t k, const double* low_high) {
  Range out{};
  for (int64_t j = 0; j < k; ++j) {
    out.low[j] = low_high[2 * j];
    out.high[j] = low_high[2 * j + 1];
  }
  return out;
}

template <typename T>
__device__ T outside(T x, double low, double high) {
  return x > static_cast<T>(high)  ? x - static_cast<T>(high)
         : x < static_cast<T>(low) ? x - static_cast<T>(low)
                                   : T(0);
}

template <typename T>
__global__ void bounds_kernel(int64_t n, int k, Range range, const T* raw, T* out) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  T sum = 0;
  for (int j = 0; j < k; ++j) {
    const T excess = outside(raw[i * k + j], range.low[j], range.high[j]);
    sum += excess * excess;
  }
  out[i] = sum;
}

template <typename T>
__global__ void bounds_back_kernel(int64_t n, int k, Range range, const T* raw, const T* grad,
                                  T* to_raw) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  for (int j = 0; j < k; ++j) {
    to_raw[i * k + j] = T(2) * outside(raw[i * k + j], range.low[j], range.high[j]) * grad[i];
  }
}

}  // namespace

template <typename T>
void gates(GateKind kind, const ShapeBounds& bounds, Decision decision, const GateRows<T>& rows,
           void* stream) {
  if (rows.n == 0) return;
  gates_kernel<T><<<blocks_for(rows.n), kThreads, 0, stream_of(stream)>>>(
      gate_setting<T>(kind, bounds, decision), rows, static_cast<int>(raw_width(kind)));
  check_launch("gates");
}

template <typename T>
void bounds_penalty(int64_t n, int64_t k, const double* low_high, const T* raw, T* out, void* stream) {
  if (n == 0) return;
  bounds_kernel<T><<<blocks_for(n), kThreads, 0, stream_of(stream)>>>(
      n, static_cast<int>(k), range_of(k, low_high), raw, out);
  check_launch("bounds_penalty");
}

template <typename T>
void bounds_penalty_back(int64_t n, int64_t k, const double* low_high, const T* raw, const T* grad,
                T* to_raw, void* stream) {
  if (n == 0) return;
  bounds_back_kernel<T><<<blocks_for(n), kThreads, 0, stream_of(stream)>>>(
      n, static_cast<int>(k), range_of(k, low_high), raw, grad, to_raw);
  check_launch("bounds_penalty_back");
}

#define INSTANTIATE(T)                                                                       \
  template void gates<T>(GateKind, const ShapeBounds&, Decision, const GateRows<T>&, void*); \
  template void bounds_penalty<T>(int64_t, int64_t, const double*, const T*, T*, void*);              \
  template void bounds_penalty_back<T>(int64_t, int64_t, const double*, const T*, const T*, T*, void*);
INSTANTIATE(float)
INSTANTIATE(double)

}  // namespace hardkuma::cuda
