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
/// opened once and read from its beginning to its end, so a pipe does as well as a file. Errors
/// name the path.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;

  /// Up to `size` bytes; 0 at the end. Returns what is there rather than wait for more.
  size_t read(char* buffer, size_t size);

  bool ready() const;  ///< read() will not wait
  const std::string& path() const { return path_; }

  /// Hash and size of the bytes as stored, all of them: reads what is left.
  std::string fingerprint();

 private:
  class Impl;
  std::string path_;
  std::unique_ptr<Impl> impl_;
};

/// No line and no row of a table is longer.
constexpr size_t kLongestLine = size_t{8} << 20;

/// Lines of a ByteSource without their end (LF or CRLF); a byte-order mark is dropped. NUL bytes,
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

  /// The first line that is not blank, which next() has yet to return; "" if there is none.
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

/// A file that appears under its name only when it is complete. Until then it grows beside it,
/// under a name of its own; one that is there already is neither followed nor overwritten. It keeps
/// the permissions of the file it replaces.
///
///   NewFile file("page.html");
///   file.write("…");
///   file.finish();
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& path);

  /// Grows under this name, which nobody else uses.
  NewFile(const std::filesystem::path& path, const std::filesystem::path& grows_as);

  ~NewFile();  ///< removes what was not finished
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view bytes);
  void finish();  ///< flushed to disk and renamed
  void leave();   ///< flushed to disk, under the name it grew under

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

/// Makes names that were created or renamed in a directory last.
void sync_directory(const std::filesystem::path& directory);

/// Hash and size of a file's bytes as stored, for the manifest.
std::string file_fingerprint(const std::filesystem::path& path);

}  // namespace hardkuma
