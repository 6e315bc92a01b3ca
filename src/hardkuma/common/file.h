#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hardkuma {

/// Bytes of a plain or gzip-compressed file, or of standard input ("-"). Errors name the path.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Up to `size` bytes; 0 at the end. Standard input returns what is there rather than wait.
  size_t read(char* buffer, size_t size);
  const std::string& path() const { return path_; }

 private:
  struct Impl;
  std::string path_;
  std::unique_ptr<Impl> impl_;
};

/// Lines of a ByteSource without their end (LF or CRLF); a byte-order mark is dropped, NUL bytes
/// and broken UTF-8 are InputErrors that name the line.
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

  /// True if next() will not wait for more input.
  bool ready() const;

 private:
  bool fill();

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

/// Writes `path` whole or not at all: a file beside it, flushed to disk, renamed into place.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Takes a file's content in pieces.
using Sink = std::function<void(std::string_view)>;

/// The same for content too large to hold: `write` is called with a sink for the pieces.
void write_file(const std::filesystem::path& path, const std::function<void(const Sink&)>& write);

/// Writes under the name at once, flushed to disk; gone again if that fails, which messages say of
/// `shown`.
void write_in_place(const std::filesystem::path& path,
                    const std::function<void(const Sink&)>& write,
                    const std::filesystem::path& shown);

/// Hash and size of a file's bytes as stored, for the manifest.
std::string file_fingerprint(const std::filesystem::path& path);

}  // namespace hardkuma
