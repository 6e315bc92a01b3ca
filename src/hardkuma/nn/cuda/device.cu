#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/cuda/launch.cuh"

namespace hardkuma::cuda {

std::string trouble() {
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

}  // namespace hardkuma::cuda
