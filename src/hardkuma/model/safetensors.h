#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "hardkuma/common/file.h"

namespace hardkuma {

/// The safetensors format: a JSON header, then raw little-endian tensors. A file is written
/// completely or not at all; a damaged or foreign file is an InputError.
struct TensorFile {
  std::map<std::string, at::Tensor> tensors;  ///< float32, float64 or int64, on the CPU
  std::map<std::string, std::string> metadata;
};

void write_safetensors(const Sink& sink, const TensorFile& file);
void write_safetensors(const std::filesystem::path& path, const TensorFile& file);

/// From a file's bytes; `name` is for messages.
TensorFile parse_safetensors(std::string_view bytes, const std::string& name);
TensorFile read_safetensors(const std::filesystem::path& path);

}  // namespace hardkuma
