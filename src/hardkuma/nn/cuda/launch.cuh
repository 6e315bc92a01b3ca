#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace hardkuma::cuda {

/// Throws if the last kernel launch failed.
inline void check_launch(const char* what) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) {
    throw std::runtime_error(std::string("[") + what + "] " + cudaGetErrorString(status));
  }
}

inline cudaStream_t stream_of(void* stream) {
  return static_cast<cudaStream_t>(stream);
}

constexpr int kThreads = 256;

inline unsigned blocks_for(int64_t count, int64_t per_block = kThreads) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

inline int64_t round_up(int64_t count, int64_t to) {
  return (count + to - 1) / to * to;
}

/// Lets a kernel use `bytes` of shared memory; more than 48 KiB must be requested.
template <typename Kernel>
void allow_shared(Kernel kernel, int64_t bytes) {
  if (bytes <= 48 * 1024) return;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(bytes));
}

/// The most shared memory a block may have, in bytes.
inline int64_t most_shared() {
  static thread_local int bytes = 0;
  if (bytes == 0) {
    int device = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  return bytes;
}

inline int64_t multiprocessors() {
  static thread_local int count = 0;
  if (count == 0) {
    int device = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  }
  return count;
}

/// The sum over a warp's lanes, the same in each.
template <typename T>
__device__ T warp_sum(T value) {
  for (int by = 16; by > 0; by /= 2) value += __shfl_xor_sync(0xffffffffu, value, by);
  return value;
}

/// The sum over a block of whole warps, in thread 0; every thread must call it.
template <typename T>
__device__ T block_sum(T value) {
  __shared__ T sums[32];
  value = warp_sum(value);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  T total = 0;
  if (threadIdx.x == 0) {
    for (unsigned w = 0; w < (blockDim.x + 31) / 32; ++w) total += sums[w];
  }
  __syncthreads();
  return total;
}

}  // namespace hardkuma::cuda
