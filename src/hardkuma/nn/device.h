#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace hardkuma {

/// The device for "cpu", "cuda" or "auto", which is a GPU if one can be used. For "cuda", throws
/// InputError with the reason if none can.
at::Device choose_device(const std::string& wanted);

/// "CPU", or the GPU's name.
std::string device_name(at::Device device);

/// From now on, GPUs may use TF32 (eleven bits) for the factors of float32 matrix products.
void allow_tf32();

}  // namespace hardkuma
