#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/cuda/launch.cuh"

namespace hardkuma::cuda {
namespace {

constexpr int kBlocks = 264;
constexpr int kAtOnce = 48;  // parameters per launch

struct Table {
  AdamTensor tensors[kAtOnce];
};

__global__ void squares_kernel(Table table, int count, bool first, double* partial) {
  double sum = 0.0;
  for (int p = 0; p < count; ++p) {
    const AdamTensor& tensor = table.tensors[p];
    if (tensor.gradient == nullptr) continue;
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < tensor.count;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
      sum += static_cast<double>(tensor.gradient[i]) * tensor.gradient[i];
    }
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = (first ? 0.0 : partial[blockIdx.x]) + sum;
}

__global__ void step_kernel(Table table, int count, const float* rates, float decay, float clip,
                            const double* partial, float* largest) {
  double sum = 0.0;
  for (int i = threadIdx.x; i < kBlocks; i += blockDim.x) sum += partial[i];
  sum = block_sum(sum);
  __shared__ float shared_norm;
  if (threadIdx.x == 0) shared_norm = static_cast<float>(sqrt(sum));
  __syncthreads();
  const float norm = shared_norm;
  // A value that is not finite is never replaced.
  if (blockIdx.x == 0 && threadIdx.x == 0 && isfinite(*largest) && !(norm <= *largest)) {
    *largest = norm;
  }
  if (!isfinite(norm)) return;
  const float scale = norm > clip ? clip / norm : 1.0f;
  for (int p = 0; p < count; ++p) {
    const AdamTensor& tensor = table.tensors[p];
    if (tensor.gradient == nullptr) continue;
    const float rate = rates[2 * p];
    const float root_correction = rates[2 * p + 1];
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < tensor.count;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
      const float g = tensor.gradient[i] * scale + decay * tensor.parameter[i];
      const float mean = 0.9f * tensor.m[i] + 0.1f * g;
      const float square = 0.999f * tensor.v[i] + 0.001f * g * g;
      tensor.m[i] = mean;
      tensor.v[i] = square;
      tensor.parameter[i] -= rate * mean / (sqrtf(square) / root_correction + 1e-8f);
    }
  }
}

}  // namespace

int64_t adam_blocks() {
  return kBlocks;
}

void adam(const AdamTensor* tensors, int64_t count, const float* rates, float decay, float clip,
          double* partial, float* largest, void* stream) {
  const auto each = [&](auto&& launch) {
    for (int64_t from = 0; from < count; from += kAtOnce) {
      Table table{};
      const auto here = static_cast<int>(count - from < kAtOnce ? count - from : kAtOnce);
      for (int i = 0; i < here; ++i) table.tensors[i] = tensors[from + i];
      launch(table, here, from);
      check_launch("adam");
    }
  };
  each([&](const Table& table, int here, int64_t from) {
    squares_kernel<<<kBlocks, kThreads, 0, stream_of(stream)>>>(table, here, from == 0, partial);
  });
  each([&](const Table& table, int here, int64_t from) {
    step_kernel<<<kBlocks, kThreads, 0, stream_of(stream)>>>(table, here, rates + 2 * from, decay,
                                                             clip, partial, largest);
  });
}

}  // namespace hardkuma::cuda
