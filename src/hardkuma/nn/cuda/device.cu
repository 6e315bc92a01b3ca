#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/cuda/launch.cuh"

#include <vector>

namespace hardkuma::cuda {

std::string unusable_reason() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return cudaGetErrorString(status);
  }
  return count == 0 ? "there is none" : "";
}

std::string name() {
  cudaDeviceProp properties{};
  cudaGetDeviceProperties(&properties, 0);
  return properties.name;
}

int64_t recorded_kernels(void* stream) {
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
  const cudaStream_t recorded = stream_of(stream);
#if CUDART_VERSION >= 13000
  const cudaError_t error = cudaStreamGetCaptureInfo(recorded, &status, nullptr, &graph);
#else
  const cudaError_t error = cudaStreamGetCaptureInfo_v2(recorded, &status, nullptr, &graph);
#endif
  if (error != cudaSuccess || status != cudaStreamCaptureStatusActive) return 0;
  size_t count = 0;
  if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess) return 0;
  std::vector<cudaGraphNode_t> nodes(count);
  if (cudaGraphGetNodes(graph, nodes.data(), &count) != cudaSuccess) return 0;
  int64_t kernels = 0;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    const bool known = cudaGraphNodeGetType(node, &type) == cudaSuccess;
    if (known && type == cudaGraphNodeTypeKernel) ++kernels;
  }
  return kernels;
}

}  // namespace hardkuma::cuda
