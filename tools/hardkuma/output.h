#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "hardkuma/common/file.h"

namespace hardkuma {

/// Results to stdout ("" or "-") or to a file that appears under its name only when complete. A
/// full disk is an InputError; a pipe closed by its reader (`| head`) throws OutputClosed.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Throws unless a file could be written under this name; does not change an existing file.
  static void check(const std::string& path);
  static void write_whole(const std::string& path, std::string_view text);

  void write(std::string_view text);
  void flush();   ///< passes on what was written; a file appears at finish()
  void finish();  ///< flush, and give a file its name

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::unique_ptr<NewFile> file_;  // a file that is replaced
  std::FILE* stream_ = nullptr;    // else: stdout, a device or a pipe, written directly
};

class OutputClosed {};

}  // namespace hardkuma
