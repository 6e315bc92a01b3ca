#include "hardkuma/model/safetensors.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/json.h"
#include "hardkuma/common/json_fields.h"

namespace hardkuma {
namespace {

constexpr const char* kMetadata = "__metadata__";

const char* type_name(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return "F32";
    case at::kDouble:
      return "F64";
    case at::kLong:
      return "I64";
    default:
      throw InternalError("[safetensors] unsupported tensor type {}", static_cast<int>(type));
  }
}

at::ScalarType type_from_name(const std::string& name, const std::string& path) {
  if (name == "F32") return at::kFloat;
  if (name == "F64") return at::kDouble;
  if (name == "I64") return at::kLong;
  throw InputError("{}: tensor type {} is not supported", path, name);
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const TensorFile& file) {
  write_file(path, [&](const Sink& sink) { write_safetensors(sink, file); });
}

void write_safetensors(const Sink& sink, const TensorFile& file) {
  nlohmann::ordered_json header;
  if (!file.metadata.empty()) header[kMetadata] = file.metadata;
  uint64_t offset = 0;
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : file.tensors) {
    tensors.push_back(tensor.detach().contiguous());
    const uint64_t end = offset + static_cast<uint64_t>(tensor.numel()) * tensor.element_size();
    header[name] = {{"dtype", type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const uint64_t size = text.size();
  std::string prefix(sizeof(size), '\0');
  std::memcpy(prefix.data(), &size, sizeof(size));
  sink(prefix);
  sink(text);
  for (const at::Tensor& tensor : tensors) {
    sink({static_cast<const char*>(tensor.data_ptr()),
          static_cast<size_t>(tensor.numel()) * tensor.element_size()});
  }
}

TensorFile read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(read_file(path), path.string());
}

TensorFile parse_safetensors(std::string_view bytes, const std::string& name) {
  const auto damaged = [&](const char* what) {
    return InputError("{}: {}; the file is truncated or not a model", name, what);
  };
  uint64_t size = 0;
  if (bytes.size() < sizeof(size)) throw damaged("too short");
  std::memcpy(&size, bytes.data(), sizeof(size));
  if (size > bytes.size() - sizeof(size)) throw damaged("the header runs past the end");
  const std::string_view body = bytes.substr(sizeof(size) + size);
  const auto header = try_parse_json(bytes.substr(sizeof(size), size));
  if (!header.is_object()) throw damaged("the header is not JSON");
  TensorFile file;
  try {
    for (const auto& [key, entry] : header.items()) {
      if (key == kMetadata) {
        file.metadata = entry.get<std::map<std::string, std::string>>();
        continue;
      }
      std::vector<int64_t> shape;
      for (const auto& extent : entry.at("shape")) shape.push_back(whole_number(extent));
      const auto begin = static_cast<uint64_t>(whole_number(entry.at("data_offsets").at(0)));
      const auto end = static_cast<uint64_t>(whole_number(entry.at("data_offsets").at(1)));
      const at::ScalarType type = type_from_name(entry.at("dtype").get<std::string>(), name);
      uint64_t elements = std::find(shape.begin(), shape.end(), 0) == shape.end() ? 1 : 0;
      for (const int64_t extent : shape) {
        if (extent < 0 || extent > (int64_t{1} << 40)) throw damaged("a tensor has a bad shape");
        const auto factor = static_cast<uint64_t>(extent);
        if (factor > 1 && elements > body.size() / factor)
          throw damaged("a tensor runs past the end");
        elements *= factor;
      }
      const uint64_t width = type == at::kFloat ? 4 : 8;
      if (begin > end || end > body.size() || end - begin != elements * width) {
        throw damaged("a tensor runs past the end");
      }
      at::Tensor tensor = at::empty(shape, type);
      if (elements > 0) std::memcpy(tensor.data_ptr(), body.data() + begin, end - begin);
      file.tensors[key] = tensor;
    }
  } catch (const nlohmann::json::exception&) {
    throw damaged("the header lacks a field");
  }
  return file;
}

}  // namespace hardkuma
