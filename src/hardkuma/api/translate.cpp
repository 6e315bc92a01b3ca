#include "hardkuma/api/translate.h"

#include <c10/util/Exception.h>

#include <filesystem>
#include <new>

namespace hardkuma {

std::string sentence_of(const std::exception& error) {
  if (const auto* torch = dynamic_cast<const c10::Error*>(&error)) {
    const std::string what = torch->what_without_backtrace();
    if (what.find("out of memory") == std::string::npos) return what;
    return "the GPU's memory is full; try --device cpu, or in training a smaller train.batch";
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return "out of memory; try a smaller train.batch or data.max_tokens";
  }
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return file->path1().string() + ": " + file->code().message();
  }
  return error.what();
}

}  // namespace hardkuma
