#include "hardkuma/common/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlock = size_t{1} << 16;

std::string reason() {
  return std::strerror(errno);
}

}  // namespace

struct ByteSource::Impl {
  gzFile gz = nullptr;  // null for standard input
};

ByteSource::ByteSource(const std::string& path)
    : path_(path == "-" ? "<stdin>" : path), impl_(std::make_unique<Impl>()) {
  if (path == "-") return;
  if (fs::is_directory(path)) throw InputError("{}: is a directory, not a file", path);
  errno = 0;
  impl_->gz = gzopen(path.c_str(), "rb");
  if (impl_->gz == nullptr) throw InputError("{}: cannot open: {}", path, reason());
  gzbuffer(impl_->gz, kBlock * 2);
}

ByteSource::~ByteSource() {
  if (impl_->gz != nullptr) gzclose(impl_->gz);
}

size_t ByteSource::read(char* buffer, size_t size) {
  if (impl_->gz == nullptr) {
    ssize_t got = 0;
    do {
      got = ::read(STDIN_FILENO, buffer, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw InputError("{}: cannot read: {}", path_, reason());
    return static_cast<size_t>(got);
  }
  const int got = gzread(impl_->gz, buffer, static_cast<unsigned>(size));
  int code = Z_OK;
  const char* what = gzerror(impl_->gz, &code);
  if (got < 0 || (got == 0 && code == Z_BUF_ERROR)) {
    const std::string why = code == Z_ERRNO ? reason() : what;
    throw InputError("{}: cannot read: {} (a truncated or damaged file?)", path_, why);
  }
  return static_cast<size_t>(got);
}

LineReader::LineReader(const std::string& path) : source_(path), buffer_(kBlock) {}

bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

bool LineReader::ready() const {
  if (std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) != nullptr) return true;
  if (source_.path() != "<stdin>") return true;
  pollfd descriptor{STDIN_FILENO, POLLIN, 0};
  return poll(&descriptor, 1, 0) > 0;
}

bool LineReader::next(std::string& line) {
  size_t searched = 0;
  while (true) {
    const char* start = buffer_.data() + begin_;
    const void* found = std::memchr(start + searched, '\n', end_ - begin_ - searched);
    size_t length = end_ - begin_;
    if (found != nullptr) {
      length = static_cast<size_t>(static_cast<const char*>(found) - start);
    } else {
      searched = length;
      if (fill()) continue;
      if (length == 0) return false;
      start = buffer_.data() + begin_;
    }
    line.assign(start, length);
    begin_ += length + (found != nullptr ? 1 : 0);
    break;
  }
  ++line_number_;
  crlf_ = !line.empty() && line.back() == '\r';
  if (crlf_) line.pop_back();
  if (line_number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
  check_text(line, source_.path(), line_number_);
  return true;
}

void check_text(std::string_view text, const std::string& path, int64_t line) {
  const size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    throw InputError(
        "{}:{}: NUL byte at column {}; is the file UTF-16? convert it with iconv -t utf-8", path,
        line, nul + 1);
  }
  const size_t bad = invalid_utf8(text);
  if (bad != std::string_view::npos) {
    throw InputError("{}:{}: broken UTF-8 at byte {}; convert the file with iconv -t utf-8", path,
                     line, bad + 1);
  }
}

std::string read_file(const fs::path& path) {
  if (fs::is_directory(path)) throw InputError("{}: is a directory, not a file", path.string());
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("{}: cannot open: {}", path.string(), reason());
  std::string out;
  std::error_code ignored;  // a pipe has no size
  out.reserve(static_cast<size_t>(fs::is_regular_file(path) ? fs::file_size(path, ignored) : 0));
  std::vector<char> block(kBlock);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    out.append(block.data(), static_cast<size_t>(in.gcount()));
  }
  if (in.bad()) throw InputError("{}: cannot read: {}", path.string(), reason());
  return out;
}

void write_in_place(const fs::path& path, const std::function<void(const Sink&)>& write,
                    const fs::path& shown) {
  const auto fail = [&] { throw InputError("{}: cannot write: {}", shown.string(), reason()); };
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail();
  bool open = true;
  try {
    write([&](std::string_view piece) {
      while (!piece.empty()) {
        const ssize_t wrote = ::write(file, piece.data(), piece.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) fail();
        piece.remove_prefix(static_cast<size_t>(wrote));
      }
    });
    if (::fsync(file) != 0 && errno != EINVAL) fail();
    open = false;
    if (::close(file) != 0) fail();
  } catch (...) {
    if (open) ::close(file);
    ::unlink(path.c_str());
    throw;
  }
}

void write_file(const fs::path& path, std::string_view content) {
  write_file(path, [&](const Sink& sink) { sink(content); });
}

void write_file(const fs::path& path, const std::function<void(const Sink&)>& write) {
  const fs::path beside = path.string() + ".tmp";
  write_in_place(beside, write, path);
  if (::rename(beside.c_str(), path.c_str()) == 0) return;
  const std::string why = reason();
  ::unlink(beside.c_str());
  throw InputError("{}: cannot write: {}", path.string(), why);
}

std::string file_fingerprint(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("{}: cannot open: {}", path.string(), reason());
  std::vector<char> block(kBlock);
  uint64_t hash = hash_text("");
  uint64_t size = 0;
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    hash = hash_text({block.data(), static_cast<size_t>(in.gcount())}, hash);
    size += static_cast<uint64_t>(in.gcount());
  }
  return fmt::format("fnv1a64:{:016x}:{}", hash, size);
}

}  // namespace hardkuma
