#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace hardkuma {

/// Results to stdout ("" or "-") or to a file that appears under its name only when complete. A
/// full disk is an InputError; a reader that went away (`| head`) throws OutputClosed.
class Output {
 public:
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void flush();
  void finish();  ///< flush, and give a file its name

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::string temporary_;  // where a file grows until it is complete
  std::FILE* file_;
};

class OutputClosed {};

}  // namespace hardkuma
