#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace hardkuma {

/// From "cpu", "cuda" or "auto", which is a GPU where there is one; an InputError says why there is
/// none.
at::Device choose_device(const std::string& wanted);

/// "CPU", or the GPU's name.
std::string device_name(at::Device device);

/// From now on a GPU may round the factors of float32 matrix products to TF32's eleven bits.
void allow_tf32();

}  // namespace hardkuma
