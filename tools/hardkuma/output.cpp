#include "output.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "hardkuma/common/error.h"

namespace hardkuma {

namespace fs = std::filesystem;

namespace {

// The open descriptor that a name refers to. Opening the name again would truncate or replace it.
int open_descriptor(const std::string& path) {
  if (path.empty() || path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* end = path.data() + path.size();
    const auto parsed = std::from_chars(path.data() + folder.size(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end) return number;
  }
  return -1;
}

}  // namespace

Output::Output(const std::string& path) : path_(path == "-" ? "" : path) {
  const int descriptor = open_descriptor(path);
  if (descriptor >= 0) {
    stream_ = descriptor == STDOUT_FILENO ? stdout : ::fdopen(::dup(descriptor), "wb");
    if (stream_ == nullptr) fail();
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

void Output::check(const std::string& path) {
  std::error_code error;
  const bool special = fs::exists(path, error) && !fs::is_regular_file(path, error);
  if (special && !fs::is_directory(path, error)) return;  // a pipe can be opened only once
  Output try_out(path);
}

void Output::write_whole(const std::string& path, std::string_view text) {
  Output output(path);
  output.write(text);
  output.finish();
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
