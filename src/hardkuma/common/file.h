#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hardkuma {

/// Bytes of a plain or gzip-compressed file, of a pipe, or of standard input ("-"). The input is
/// opened once and read sequentially, so pipes work like files. Errors name the path.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;

  /// Reads up to `size` bytes; returns 0 at the end. Does not wait for more if some are available.
  size_t read(char* buffer, size_t size);

  bool ready() const;  ///< read() will not wait
  const std::string& path() const { return path_; }

  /// Hash and size of all bytes as stored. Reads the rest of the input.
  std::string fingerprint();

 private:
  class Impl;
  std::string path_;
  std::unique_ptr<Impl> impl_;
};

/// Longest line, and longest row of a table, in bytes.
constexpr size_t kLongestLine = size_t{8} << 20;

/// Lines of a ByteSource without line ends (LF or CRLF); a byte-order mark is dropped. NUL bytes,
/// broken UTF-8 and lines over the limit are InputErrors that name the line.
///
///   LineReader lines("reviews.txt.gz");
///   for (std::string line; lines.next(line);) …
class LineReader {
 public:
  explicit LineReader(const std::string& path);

  bool next(std::string& line);
  int64_t line_number() const { return line_number_; }  ///< of the line last returned, from 1
  bool ended_in_crlf() const { return crlf_; }          ///< did the line last returned?
  const std::string& path() const { return source_.path(); }

  /// Peeks at the first line that is not blank; "" if there is none. next() still returns it.
  std::string first_line();

  /// True if next() will not wait for more input.
  bool ready() const;

  std::string fingerprint() { return source_.fingerprint(); }

 private:
  bool fill();
  size_t line_end(size_t from);
  [[noreturn]] void too_long() const;

  ByteSource source_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  int64_t line_number_ = 0;
  bool crlf_ = false;
};

/// Throws InputError at (path, line) if the text has a NUL byte or broken UTF-8.
void check_text(std::string_view text, const std::string& path, int64_t line);

std::string read_file(const std::filesystem::path& path);

/// A file that appears under its name only when it is complete. Until then it has a temporary name
/// in the same directory; an existing file or link of that name is never overwritten or followed.
/// The file keeps the permissions of the one it replaces.
///
///   NewFile file("page.html");
///   file.write("…");
///   file.finish();
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path);

  /// `grows_as`: the temporary name, which nobody else may use.
  NewFile(const std::filesystem::path& path, const std::filesystem::path& grows_as);

  ~NewFile();  ///< removes an unfinished file
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view bytes);
  void finish();  ///< flushed to disk and renamed
  void leave();   ///< flushed to disk under its temporary name

 private:
  [[noreturn]] void fail() const;
  void flush();

  std::filesystem::path path_;
  std::filesystem::path grows_as_;
  std::string buffer_;
  int descriptor_ = -1;
};

/// Writes `path` whole or not at all.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Takes a file's content in pieces.
using Sink = std::function<void(std::string_view)>;

/// The same for content too large to hold: `write` is called with a sink for the pieces.
void write_file(const std::filesystem::path& path, const std::function<void(const Sink&)>& write);

/// Flushes a directory's entries to disk, so that created and renamed names survive a crash.
void sync_directory(const std::filesystem::path& directory);

/// Hash and size of a file's bytes as stored, for the manifest.
std::string file_fingerprint(const std::filesystem::path& path);

}  // namespace hardkuma
