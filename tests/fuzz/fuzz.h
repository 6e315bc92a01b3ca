#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma::fuzz {

/// The fuzzer's bytes as a file of this name, for readers that take a path.
inline std::string as_file(const std::string& name, const uint8_t* data, size_t size) {
  static const test::TempDirectory directory;
  const std::string path = (directory.path() / name).string();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(data, 1, size, file) != size) std::abort();
  std::fclose(file);
  return path;
}

inline std::string_view as_text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A finding: what holds of every input does not hold of this one.
inline void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Bad input may end in an InputError and in nothing else.
template <typename F>
int read_or_refuse(F&& f) {
  try {
    f();
  } catch (const InputError&) {
  }
  return 0;
}

}  // namespace hardkuma::fuzz
