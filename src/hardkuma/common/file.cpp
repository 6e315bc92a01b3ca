#include "hardkuma/common/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>

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

class ByteSource::Impl {
 public:
  Impl(const std::string& path, std::string shown) : shown_(std::move(shown)), raw_(kBlock) {
    if (path == "-") {
      descriptor_ = STDIN_FILENO;
    } else {
      descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      if (descriptor_ < 0) throw InputError("{}: cannot open: {}", path, reason());
    }
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0) {
      if (S_ISDIR(status.st_mode)) {
        close();
        throw InputError("{}: is a directory, not a file", path);
      }
      regular_ = S_ISREG(status.st_mode);
    }
  }

  ~Impl() {
    if (kind_ == Kind::Gzip || kind_ == Kind::End) inflateEnd(&stream_);
    close();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  size_t read(char* buffer, size_t size) {
    if (kind_ == Kind::Unknown) recognise();
    if (kind_ == Kind::End) return 0;
    if (kind_ == Kind::Gzip) return inflated(buffer, size);
    if (begin_ == end_) return raw_read(buffer, size);
    const size_t count = std::min(size, end_ - begin_);
    std::memcpy(buffer, raw_.data() + begin_, count);
    begin_ += count;
    return count;
  }

  bool ready() const {
    if (regular_ || (kind_ != Kind::Gzip && begin_ < end_)) return true;
    pollfd input{descriptor_, POLLIN, 0};
    return ::poll(&input, 1, 0) > 0;
  }

  std::string fingerprint() {
    while (refill()) {
    }
    return fmt::format("fnv1a64:{:016x}:{}", hash_, size_);
  }

 private:
  enum class Kind { Unknown, Plain, Gzip, End };  // End: after the last gzip member

  void close() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
    descriptor_ = -1;
  }

  size_t raw_read(char* buffer, size_t size) {
    ssize_t got = 0;
    do {
      got = ::read(descriptor_, buffer, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) throw InputError("{}: cannot read: {}", shown_, reason());
    hash_ = hash_text({buffer, static_cast<size_t>(got)}, hash_);
    size_ += static_cast<uint64_t>(got);
    return static_cast<size_t>(got);
  }

  // Fills raw_ with the next bytes as stored; false at the end.
  bool refill() {
    begin_ = 0;
    end_ = raw_read(raw_.data(), raw_.size());
    return end_ > 0;
  }

  // Gzip is detected by its first two bytes, not by the file's name.
  bool opens_gzip() {
    if (begin_ == end_ && !refill()) return false;
    if (raw_[begin_] != '\x1f') return false;
    if (end_ - begin_ == 1) {
      raw_[0] = raw_[begin_];
      begin_ = 0;
      end_ = 1 + raw_read(raw_.data() + 1, raw_.size() - 1);
    }
    return end_ - begin_ > 1 && raw_[begin_ + 1] == '\x8b';
  }

  void recognise() {
    kind_ = Kind::Plain;
    if (!opens_gzip()) return;
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw InputError("{}: out of memory", shown_);
    kind_ = Kind::Gzip;
  }

  size_t inflated(char* buffer, size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(std::min(size, size_t{1} << 30));
    const uInt wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (begin_ == end_ && !refill()) damaged("it ends too soon");
      stream_.next_in = reinterpret_cast<Bytef*>(raw_.data() + begin_);
      stream_.avail_in = static_cast<uInt>(end_ - begin_);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      begin_ = end_ - stream_.avail_in;
      if (code == Z_STREAM_END) {
        const bool more = opens_gzip();
        if (!more) kind_ = Kind::End;  // bytes after the last member are ignored, as in gzip
        if (!more) return wanted - stream_.avail_out;
        inflateReset(&stream_);
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        damaged(stream_.msg == nullptr ? "not gzip data" : stream_.msg);
      }
    }
    return wanted - stream_.avail_out;
  }

  [[noreturn]] void damaged(const char* what) const {
    throw InputError("{}: cannot read: {} (a truncated or damaged file?)", shown_, what);
  }

  std::string shown_;
  int descriptor_ = -1;
  bool regular_ = false;
  Kind kind_ = Kind::Unknown;
  z_stream stream_{};
  std::vector<char> raw_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t hash_ = hash_text("");
  uint64_t size_ = 0;
};

ByteSource::ByteSource(const std::string& path)
    : path_(path == "-" ? "<stdin>" : path), impl_(std::make_unique<Impl>(path, path_)) {}
ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;

size_t ByteSource::read(char* buffer, size_t size) {
  return impl_->read(buffer, size);
}

bool ByteSource::ready() const {
  return impl_->ready();
}

std::string ByteSource::fingerprint() {
  return impl_->fingerprint();
}

LineReader::LineReader(const std::string& path) : source_(path), buffer_(kBlock) {}

bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ > kLongestLine) too_long();
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const size_t got = source_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  return got > 0;
}

void LineReader::too_long() const {
  throw InputError("{}:{}: a line of more than {} MB; is this text?", path(), line_number_ + 1,
                   kLongestLine >> 20);
}

bool LineReader::ready() const {
  return std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) != nullptr || source_.ready();
}

// The end, counted from begin_, of the line that starts `from` bytes after begin_. The last line
// may end without a line end.
size_t LineReader::line_end(size_t from) {
  while (true) {
    const char* start = buffer_.data() + begin_;
    const void* found = std::memchr(start + from, '\n', end_ - begin_ - from);
    if (found != nullptr) return static_cast<size_t>(static_cast<const char*>(found) - start);
    from = end_ - begin_;
    if (!fill()) return from;
  }
}

std::string LineReader::first_line() {
  for (size_t from = 0;;) {
    const size_t end = line_end(from);
    std::string_view line(buffer_.data() + begin_ + from, end - from);
    if (from == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    const bool last = end == end_ - begin_;
    if (last || !trim(line).empty()) return std::string(trim(line));
    from = end + 1;
  }
}

bool LineReader::next(std::string& line) {
  const size_t length = line_end(0);
  const bool ended = length < end_ - begin_;
  if (!ended && length == 0) return false;
  if (length > kLongestLine) too_long();
  line.assign(buffer_.data() + begin_, length);
  begin_ += length + (ended ? 1 : 0);
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
  std::error_code ignored;
  const bool endless = !fs::is_regular_file(path);  // a pipe or a device has no size
  if (!endless) out.reserve(static_cast<size_t>(fs::file_size(path, ignored)));
  std::vector<char> block(kBlock);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    out.append(block.data(), static_cast<size_t>(in.gcount()));
    if (endless && out.size() > kLongestLine) {
      throw InputError("{}: goes on for more than {} MB", path.string(), kLongestLine >> 20);
    }
  }
  if (in.bad()) throw InputError("{}: cannot read: {}", path.string(), reason());
  return out;
}

namespace {

// A name in the same directory as `path` that no other process uses.
fs::path unique_beside(const fs::path& path) {
  std::random_device device;
  return fmt::format("{}.{:08x}{:08x}.tmp", path.string(), device(), device());
}

}  // namespace

NewFile::NewFile(const fs::path& path) : NewFile(path, unique_beside(path)) {}

NewFile::NewFile(const fs::path& path, const fs::path& grows_as)
    : path_(path), grows_as_(grows_as) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  descriptor_ = ::open(grows_as_.c_str(), kFlags, 0666);
  if (descriptor_ < 0) {
    throw InputError("{}: cannot write: {}", path_.string(), reason());
  }
  struct stat old {};
  if (::stat(path_.c_str(), &old) == 0 && S_ISREG(old.st_mode)) {
    ::fchmod(descriptor_, old.st_mode & 0777);
  }
}

NewFile::~NewFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(grows_as_.c_str());
}

void NewFile::fail() const {
  throw InputError("{}: cannot write: {}", path_.string(), reason());
}

void NewFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= kBlock) flush();
}

void NewFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t wrote = ::write(descriptor_, left.data(), left.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail();
    left.remove_prefix(static_cast<size_t>(wrote));
  }
  buffer_.clear();
}

void NewFile::leave() {
  flush();
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail();
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) == 0) return;
  const int why = errno;
  ::unlink(grows_as_.c_str());
  errno = why;
  fail();
}

void NewFile::finish() {
  leave();
  if (::rename(grows_as_.c_str(), path_.c_str()) != 0) {
    const int why = errno;
    ::unlink(grows_as_.c_str());
    errno = why;
    fail();
  }
  sync_directory(path_.parent_path());
}

void write_file(const fs::path& path, std::string_view content) {
  NewFile file(path);
  file.write(content);
  file.finish();
}

void write_file(const fs::path& path, const std::function<void(const Sink&)>& write) {
  NewFile file(path);
  write([&](std::string_view piece) { file.write(piece); });
  file.finish();
}

void sync_directory(const fs::path& directory) {
  const char* name = directory.empty() ? "." : directory.c_str();
  const int descriptor = ::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

std::string file_fingerprint(const fs::path& path) {
  return ByteSource(path.string()).fingerprint();
}

}  // namespace hardkuma
