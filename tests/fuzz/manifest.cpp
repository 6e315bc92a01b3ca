// manifest.json of a run, as anything that looks at runs reads it. The checksum, which no mutation
// would get right, is computed here.
#include "hardkuma/train/manifest.h"

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "hardkuma/common/directory.h"
#include "hardkuma/common/json.h"

using namespace hardkuma;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const test::TempDirectory directory;
  nlohmann::ordered_json fields = try_parse_json(fuzz::as_text(data, size));
  if (!fields.is_object()) return 0;
  fields.erase("checksum");
  DirectoryCommit(directory.path()).finish(fields);
  return fuzz::read_or_refuse([&] {
    if (const auto manifest = read_manifest(directory.path())) to_json(*manifest).dump();
  });
}
