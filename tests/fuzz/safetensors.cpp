// Weights and checkpoints: what was read is written and read again.
#include "hardkuma/model/safetensors.h"

#include "fuzz/fuzz.h"

using namespace hardkuma;

namespace {

std::string bytes_of(const TensorFile& file) {
  std::string out;
  write_safetensors([&](std::string_view bytes) { out += bytes; }, file);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::read_or_refuse([&] {
    const std::string once = bytes_of(parse_safetensors(fuzz::as_text(data, size), "f"));
    fuzz::check(bytes_of(parse_safetensors(once, "f")) == once, "tensors go round");
  });
}
