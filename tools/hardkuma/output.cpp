#include "output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "hardkuma/common/error.h"

namespace hardkuma {

namespace fs = std::filesystem;

Output::Output(const std::string& path) : path_(path == "-" ? "" : path), file_(stdout) {
  if (path_.empty()) return;
  std::error_code error;
  if (fs::is_symlink(path_, error)) path_ = fs::weakly_canonical(path_, error).string();
  // A device or a pipe is written to as it is; only a file can be replaced.
  const bool special = fs::exists(path_, error) && !fs::is_regular_file(path_, error);
  if (fs::is_directory(path_, error)) throw InputError("{}: is a directory", path_);
  if (!special) temporary_ = path_ + ".tmp";
  file_ = std::fopen(special ? path_.c_str() : temporary_.c_str(), "wb");
  if (file_ == nullptr) throw InputError("{}: cannot write: {}", path_, std::strerror(errno));
}

Output::~Output() {
  if (path_.empty() || file_ == nullptr) return;
  std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void Output::fail() const {
  if (errno == EPIPE) throw OutputClosed();
  throw InputError("{}: cannot write: {}", path_.empty() ? "standard output" : path_,
                   std::strerror(errno));
}

void Output::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
}

void Output::flush() {
  if (std::fflush(file_) != 0) fail();
}

void Output::finish() {
  flush();
  if (path_.empty()) return;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  const bool named = temporary_.empty() || std::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (!closed || !named) {
    const std::string why = std::strerror(errno);
    if (!temporary_.empty()) std::remove(temporary_.c_str());
    throw InputError("{}: cannot write: {}", path_, why);
  }
}

}  // namespace hardkuma
