// Compressed and plain files: the bytes do not depend on how many are asked for at a time.
#include "fuzz/fuzz.h"
#include "hardkuma/common/file.h"

using namespace hardkuma;

namespace {

std::string bytes_of(const std::string& path, size_t at_a_time) {
  ByteSource source(path);
  std::string out;
  std::string buffer(at_a_time, '\0');
  while (const size_t got = source.read(buffer.data(), buffer.size())) out.append(buffer, 0, got);
  source.fingerprint();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string path = fuzz::as_file("bytes", data, size);
  return fuzz::read_or_refuse([&] {
    fuzz::check(bytes_of(path, 1 << 16) == bytes_of(path, 777), "large and small reads agree");
  });
}
