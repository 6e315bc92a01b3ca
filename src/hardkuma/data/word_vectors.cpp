#include "hardkuma/data/word_vectors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

// Splits off the last `count` space-separated fields; the rest is the word, which contains spaces
// in some published files.
bool split_line(std::string_view line, int64_t count, std::string_view& word,
                std::vector<std::string_view>& fields) {
  fields.clear();
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  while (static_cast<int64_t>(fields.size()) < count) {
    const size_t space = line.rfind(' ');
    if (space == std::string_view::npos) return false;
    fields.push_back(line.substr(space + 1));
    line = line.substr(0, space);
  }
  word = line;
  return !word.empty();
}

int64_t count_fields(std::string_view line) {
  int64_t count = 0;
  bool in_field = false;
  for (const char c : line) {
    if (c != ' ' && !in_field) ++count;
    in_field = c != ' ';
  }
  return count;
}

bool parse_float(std::string_view field, float& value) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && end == field.data() + field.size() && std::isfinite(value);
}

// No published vectors are wider; the limit keeps a damaged header from taking too much memory.
constexpr double kWidest = 65536.0;

bool is_width(double columns) {
  return columns >= 1.0 && columns <= kWidest && columns == std::floor(columns);
}

// "400000 300": the header of fastText's and word2vec's text files.
bool is_header(std::string_view line, int64_t& width) {
  double words = 0.0;
  double columns = 0.0;
  const size_t space = line.find(' ');
  if (count_fields(line) != 2 || !parse_number(line.substr(0, space), words)) return false;
  if (!parse_number(line.substr(space + 1), columns) || !is_width(columns)) return false;
  width = static_cast<int64_t>(columns);
  return true;
}

WordVectors read_text(LineReader lines, const std::unordered_set<std::string>& wanted,
                      int64_t extra) {
  WordVectors out;
  std::string line;
  std::vector<std::string_view> fields;
  int64_t seen = 0;
  while (lines.next(line)) {
    if (trim(line).empty()) continue;
    if (lines.line_number() == 1 && is_header(line, out.width)) continue;
    if (out.width == 0) out.width = std::min(count_fields(line) - 1, static_cast<int64_t>(kWidest));
    const auto where = [&] { return fmt::format("{}:{}", lines.path(), lines.line_number()); };
    std::string_view word;
    if (out.width < 1 || !split_line(line, out.width, word, fields)) {
      throw InputError("{}: {} numbers where the first line has {}", where(),
                       count_fields(line) - 1, out.width);
    }
    const bool keep = seen++ < extra || wanted.contains(std::string(word));
    float first = 0.0f;
    // An extra field would become part of the word: a word with spaces must not end in a number.
    if (const size_t space = word.rfind(' ');
        space != std::string_view::npos && parse_float(word.substr(space + 1), first)) {
      throw InputError("{}: {} numbers where the first line has {}", where(),
                       count_fields(line) - 1, out.width);
    }
    if (!keep) continue;
    out.words.emplace_back(word);
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
      float value = 0.0f;
      if (!parse_float(*field, value)) {
        throw InputError("{}: \"{}\" is not a number", where(), quotable(*field));
      }
      out.values.push_back(value);
    }
  }
  out.fingerprint = lines.fingerprint();
  return out;
}

class BinaryCursor {
 public:
  explicit BinaryCursor(const std::string& path) : source_(path), block_(1 << 16) {}

  char byte() {
    if (at_ == end_) {
      end_ = source_.read(block_.data(), block_.size());
      at_ = 0;
      if (end_ == 0)
        throw InputError("{}: the file ends in the middle of a vector", source_.path());
    }
    return block_[at_++];
  }

  std::string fingerprint() { return source_.fingerprint(); }

  std::string until(char stop) {
    std::string out;
    for (char c = byte(); c != stop; c = byte()) {
      if (out.size() > 4096) throw InputError("{}: not a word2vec binary file", source_.path());
      if (c != '\n') out += c;
    }
    return out;
  }

 private:
  ByteSource source_;
  std::vector<char> block_;
  size_t at_ = 0;
  size_t end_ = 0;
};

WordVectors read_binary(const std::string& path, const std::unordered_set<std::string>& wanted,
                        int64_t extra) {
  BinaryCursor in(path);
  double count = 0.0;
  double width = 0.0;
  const std::string count_text = in.until(' ');
  std::string width_text;
  for (char c = in.byte(); c != '\n'; c = in.byte()) {
    width_text += c;
    if (width_text.size() > 20) break;
  }
  constexpr double kMostWords = 1e12;
  const bool header = parse_number(count_text, count) && parse_number(width_text, width);
  if (!header || !is_width(width) || !(count >= 0.0 && count <= kMostWords)) {
    throw InputError("{}: not a word2vec binary file: it must open with \"words width\"", path);
  }
  WordVectors out;
  out.width = static_cast<int64_t>(width);
  std::vector<char> bytes(static_cast<size_t>(out.width) * sizeof(float));
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    const std::string word = in.until(' ');
    for (char& b : bytes) b = in.byte();
    if (i >= extra && !wanted.contains(word)) continue;
    if (word.empty() || invalid_utf8(word) != std::string::npos) continue;
    out.words.push_back(word);
    const size_t at = out.values.size();
    out.values.resize(at + static_cast<size_t>(out.width));
    std::memcpy(out.values.data() + at, bytes.data(), bytes.size());
    if (!std::all_of(out.values.begin() + static_cast<int64_t>(at), out.values.end(),
                     [](float v) { return std::isfinite(v); })) {
      throw InputError("{}: the vector of \"{}\" holds numbers that are not finite", path,
                       quotable(word));
    }
  }
  out.fingerprint = in.fingerprint();
  return out;
}

}  // namespace

WordVectors read_word_vectors(const std::string& path,
                              const std::unordered_set<std::string>& wanted, int64_t extra) {
  const bool binary = ends_with_ignore_case(path, ".bin") || ends_with_ignore_case(path, ".bin.gz");
  WordVectors out =
      binary ? read_binary(path, wanted, extra) : read_text(LineReader(path), wanted, extra);
  if (out.width == 0) throw InputError("{}: the file is empty", path);
  return out;
}

}  // namespace hardkuma
