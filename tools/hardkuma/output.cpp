#include "output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "hardkuma/common/error.h"

namespace hardkuma {

namespace fs = std::filesystem;

Output::Output(const std::string& path) : path_(path == "-" ? "" : path) {
  if (path_.empty()) {
    stream_ = stdout;
    return;
  }
  std::error_code error;
  if (fs::is_directory(path_, error)) throw InputError("{}: is a directory", path_);
  if (fs::exists(path_, error) && !fs::is_regular_file(path_, error)) {
    stream_ = std::fopen(path_.c_str(), "wbe");
    if (stream_ == nullptr) fail();
    return;
  }
  const fs::path target =
      fs::is_symlink(path_, error) ? fs::weakly_canonical(path_, error) : fs::path(path_);
  file_ = std::make_unique<NewFile>(target);
}

Output::~Output() {
  if (stream_ != nullptr && stream_ != stdout) std::fclose(stream_);
}

void Output::fail() const {
  if (errno == EPIPE) throw OutputClosed();
  throw InputError("{}: cannot write: {}", path_.empty() ? "standard output" : path_,
                   std::strerror(errno));
}

void Output::write(std::string_view text) {
  if (file_) return file_->write(text);
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) fail();
}

void Output::flush() {
  if (stream_ != nullptr && std::fflush(stream_) != 0) fail();
}

void Output::finish() {
  flush();
  if (file_) return file_->finish();
  if (stream_ == stdout) return;
  if (std::fclose(std::exchange(stream_, nullptr)) != 0) fail();
}

}  // namespace hardkuma
