#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma::fuzz {

/// The fuzzer's bytes as a file of this name, for readers that take a path. In memory: a disk would
/// cost more time than the reader.
inline std::string as_file(const std::string& name, const uint8_t* data, size_t size) {
  static const test::TempDirectory directory;
  static const int file = memfd_create("input", MFD_CLOEXEC);
  const std::filesystem::path path = directory.path() / name;
  static const bool linked = [&] {
    std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(file), path);
    return true;
  }();
  const bool written = linked && ftruncate(file, 0) == 0 &&
                       pwrite(file, data, size, 0) == static_cast<ssize_t>(size);
  if (!written) std::abort();
  return path.string();
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
