// JSON: what was read is written and read again.
#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "hardkuma/common/json.h"

using namespace hardkuma;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::read_or_refuse([&] {
    const std::string once = parse_json(fuzz::as_text(data, size), "f").dump();
    fuzz::check(parse_json(once, "f").dump() == once, "JSON goes round");
  });
}
