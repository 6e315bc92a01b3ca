#include "hardkuma/data/tokenizer.h"

#include <utf8proc.h>

#include <array>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

bool is_space(int32_t c) {
  if (c == ' ' || (c >= 9 && c <= 13) || c == 0x85) return true;
  if (c < 0x80) return false;
  const auto category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

// Scripts written without spaces: each character is a word of its own.
bool stands_alone(int32_t c) {
  return (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x4dbf) ||
         (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
         (c >= 0x20000 && c <= 0x3ffff);
}

bool is_word(int32_t c) {
  if (c < 0x80)
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

bool is_digit(int32_t c) {
  return c >= '0' && c <= '9';
}
bool is_apostrophe(int32_t c) {
  return c == '\'' || c == 0x2019;
}

// May `c` stand inside a word, between `before` and `after`?
bool joins(int32_t c, int32_t before, int32_t after) {
  if (!is_word(before) || !is_word(after)) return false;
  if (c == '-' || c == 0x2010 || c == 0x2011 || is_apostrophe(c)) return true;
  if (c == '.' || c == ',') return is_digit(before) && is_digit(after);
  // Zero-width joiners and soft hyphens belong to the word they stand in.
  return c == 0x200c || c == 0x200d || c == 0xad;
}

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view text) : text_(text), points_(code_points(text)) {}

  std::vector<Token> run() {
    size_t at = 0;
    while (at < points_.size()) {
      const int32_t c = value(at);
      if (is_space(c)) {
        ++at;
      } else if (is_word(c) && !stands_alone(c)) {
        at = word(at);
      } else if (is_apostrophe(c) && at + 1 < points_.size() && clitic_after(at)) {
        at = emit(at, clitic_end(at));
      } else {
        at = mark(at);
      }
    }
    return std::move(tokens_);
  }

 private:
  int32_t value(size_t i) const { return i < points_.size() ? points_[i].value : 0; }
  int32_t lower(size_t i) const { return utf8proc_tolower(value(i)); }
  int64_t byte(size_t i) const {
    return i < points_.size() ? points_[i].byte : static_cast<int64_t>(text_.size());
  }

  size_t emit(size_t from, size_t to) {
    if (to > from) {
      tokens_.push_back(
          {static_cast<int64_t>(from), static_cast<int64_t>(to), byte(from), byte(to)});
    }
    return to;
  }

  // The end of 's 're 've 'll 'd or 'm, if an apostrophe at `i` opens one that ends a word; else 0.
  size_t clitic_end(size_t i) const {
    static constexpr std::array<const char*, 6> kClitics = {"s", "re", "ve", "ll", "d", "m"};
    for (const std::string_view clitic : kClitics) {
      bool same = true;
      for (size_t k = 0; k < clitic.size(); ++k) same = same && lower(i + 1 + k) == clitic[k];
      if (same && !is_word(value(i + 1 + clitic.size()))) return i + 1 + clitic.size();
    }
    return 0;
  }
  bool clitic_after(size_t i) const { return clitic_end(i) != 0; }

  size_t word(size_t from) {
    size_t to = from + 1;
    while (to < points_.size()) {
      const int32_t c = value(to);
      if (is_word(c) && !stands_alone(c)) {
        ++to;
      } else if (joins(c, value(to - 1), value(to + 1)) && !stands_alone(value(to + 1)) &&
                 !(is_apostrophe(c) && clitic_after(to))) {
        ++to;
      } else {
        break;
      }
    }
    // don't → do n't
    if (to - from > 3 && lower(to - 1) == 't' && is_apostrophe(value(to - 2)) &&
        lower(to - 3) == 'n') {
      emit(from, to - 3);
      return emit(to - 3, to);
    }
    // Initials keep their full stops: U.S., e.g.
    size_t end = to;
    if (to - from == 1) {
      while (value(end) == '.' && is_word(value(end + 1)) && !is_word(value(end + 2)) &&
             value(end + 2) == '.') {
        end += 2;
      }
      if (end > to) ++end;
    }
    return emit(from, end);
  }

  // Runs of one mark are one word ("...", "--", "!!!"); anything else stands alone.
  size_t mark(size_t from) {
    const int32_t c = value(from);
    size_t to = from + 1;
    if (c == '.' || c == '-' || c == '!' || c == '?' || c == '`' || c == '\'' || c == '*') {
      while (value(to) == c) ++to;
    } else if (c >= 0x80 && !stands_alone(c)) {
      // Marks, joiners and modifiers that complete an emoji or accented sign.
      while (to < points_.size() && completes(value(to), value(to - 1))) ++to;
    }
    return emit(from, to);
  }

  static bool completes(int32_t c, int32_t before) {
    if (c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0x1f3fb && c <= 0x1f3ff)) return true;
    return before == 0x200d && !is_space(c);
  }

  std::string_view text_;
  std::vector<CodePoint> points_;
  std::vector<Token> tokens_;
};

std::vector<Token> split_whitespace(std::string_view text) {
  const std::vector<CodePoint> points = code_points(text);
  std::vector<Token> tokens;
  const auto byte = [&](size_t i) {
    return i < points.size() ? points[i].byte : static_cast<int64_t>(text.size());
  };
  for (size_t at = 0; at < points.size();) {
    if (is_space(points[at].value)) {
      ++at;
      continue;
    }
    size_t to = at;
    while (to < points.size() && !is_space(points[to].value)) ++to;
    tokens.push_back({static_cast<int64_t>(at), static_cast<int64_t>(to), byte(at), byte(to)});
    at = to;
  }
  return tokens;
}

}  // namespace

std::vector<Token> tokenize(std::string_view text, Tokenizer tokenizer) {
  if (tokenizer == Tokenizer::Whitespace) return split_whitespace(text);
  return WordSplitter(text).run();
}

void append_word(std::string& text, std::vector<Token>& tokens, std::string_view word) {
  const int64_t start = tokens.empty() ? 0 : tokens.back().end + 1;
  if (!tokens.empty()) text += ' ';
  const auto byte = static_cast<int64_t>(text.size());
  text += word;
  tokens.push_back(
      {start, start + count_code_points(word), byte, byte + static_cast<int64_t>(word.size())});
}

}  // namespace hardkuma
