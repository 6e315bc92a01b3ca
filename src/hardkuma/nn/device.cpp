#include "hardkuma/nn/device.h"

#include <ATen/Context.h>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/cuda/on_gpu.h"

namespace hardkuma {

at::Device choose_device(const std::string& wanted) {
  if (wanted == "cpu") return at::kCPU;
  if (wanted != "cuda" && wanted != "auto") {
    throw UsageError("unknown device \"{}\"; there are auto, cpu and cuda", wanted);
  }
  if (!on_gpu::built()) {
    if (wanted == "auto") return at::kCPU;
    throw InputError(
        "this hardkuma was built without CUDA; build it with -DHARDKUMA_CUDA=ON (docs/gpu.md), or "
        "use --device cpu");
  }
  const std::string unusable_reason = cuda::unusable_reason();
  if (unusable_reason.empty()) return at::Device(at::kCUDA, 0);
  if (wanted == "auto") return at::kCPU;
  throw InputError("no GPU can be used: {}; use --device cpu", unusable_reason);
}

std::string device_name(at::Device device) {
  return device.is_cuda() ? cuda::name() : "CPU";
}

void allow_tf32() {
  at::globalContext().setFloat32MatmulPrecision("high");
}

}  // namespace hardkuma
