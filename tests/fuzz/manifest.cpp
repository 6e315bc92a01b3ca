// manifest.json of a run, as anything that looks at runs reads it.
#include "hardkuma/train/manifest.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"

using namespace hardkuma;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::filesystem::path path = fuzz::as_file("manifest.json", data, size);
  return fuzz::read_or_refuse([&] {
    if (const auto manifest = read_manifest(path.parent_path())) to_json(*manifest).dump();
  });
}
