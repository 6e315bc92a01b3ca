#include "output.h"

#include <cerrno>
#include <cstring>

#include "hardkuma/common/error.h"

namespace hardkuma {

Output::Output(const std::string& path) : path_(path == "-" ? "" : path), file_(stdout) {
  if (path_.empty()) return;
  file_ = std::fopen((path_ + ".tmp").c_str(), "wb");
  if (file_ == nullptr) throw InputError("{}: cannot write: {}", path_, std::strerror(errno));
}

Output::~Output() {
  if (path_.empty() || file_ == nullptr) return;
  std::fclose(file_);
  std::remove((path_ + ".tmp").c_str());
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
  if (!closed || std::rename((path_ + ".tmp").c_str(), path_.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove((path_ + ".tmp").c_str());
    throw InputError("{}: cannot write: {}", path_, why);
  }
}

}  // namespace hardkuma
