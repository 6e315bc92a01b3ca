#include "hardkuma/data/tokenizer.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utf16.h>

#include <array>
#include <memory>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

bool is_space(int32_t c) {
  if (c == ' ' || (c >= 9 && c <= 13) || c == 0x85) return true;
  if (c < 0x80) return false;
  return (U_MASK(u_charType(c)) & U_GC_Z_MASK) != 0;
}

bool is_word(int32_t c) {
  if (c < 0x80)
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return (U_MASK(u_charType(c)) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)) != 0;
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

// ICU's word boundaries, which it finds in unspaced scripts by dictionaries. Opening an iterator
// costs more than splitting a text, so each thread keeps one.
class WordBoundaries {
 public:
  // Calls `use` with the end of each word, in UTF-16 units.
  template <typename Use>
  static void each(const std::u16string& text, const Use& use) {
    thread_local const WordBoundaries boundaries;
    UErrorCode status = U_ZERO_ERROR;
    UBreakIterator* iterator = boundaries.iterator_.get();
    ubrk_setText(iterator, text.data(), static_cast<int32_t>(text.size()), &status);
    if (U_FAILURE(status) != 0) throw InternalError("[tokenize] {}", u_errorName(status));
    ubrk_first(iterator);
    for (int32_t end = ubrk_next(iterator); end != UBRK_DONE; end = ubrk_next(iterator)) use(end);
  }

 private:
  WordBoundaries() : iterator_(nullptr, ubrk_close) {
    UErrorCode status = U_ZERO_ERROR;
    iterator_.reset(ubrk_open(UBRK_WORD, "", nullptr, 0, &status));
    if (U_FAILURE(status) != 0) throw InternalError("[tokenize] {}", u_errorName(status));
  }

  std::unique_ptr<UBreakIterator, decltype(&ubrk_close)> iterator_;
};

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view text) : text_(text), points_(code_points(text)) {}

  std::vector<Token> run() {
    size_t at = 0;
    while (at < points_.size()) {
      const int32_t c = value(at);
      if (is_space(c)) {
        ++at;
      } else if (is_word(c)) {
        at = is_unspaced_letter(c) ? unspaced(at) : word(at);
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
  int32_t lower(size_t i) const { return u_tolower(value(i)); }
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

  // A run of letters of unspaced scripts, cut into words.
  size_t unspaced(size_t from) {
    std::u16string run;
    size_t to = from;
    for (; to < points_.size() && is_unspaced_letter(value(to)); ++to) {
      const int32_t c = value(to);
      if (U16_LENGTH(c) == 2) run += U16_LEAD(c);
      run += U16_LENGTH(c) == 2 ? U16_TRAIL(c) : static_cast<char16_t>(c);
    }
    int32_t unit = 0;
    size_t point = from;
    WordBoundaries::each(run, [&](int32_t end) {
      const size_t start = point;
      for (; unit < end; ++point) unit += U16_LENGTH(value(point));
      emit(start, point);
    });
    return to;
  }

  size_t word(size_t from) {
    size_t to = from + 1;
    while (to < points_.size()) {
      const int32_t c = value(to);
      if (is_word(c) && !is_unspaced_letter(c)) {
        ++to;
      } else if (joins(c, value(to - 1), value(to + 1)) && !is_unspaced_letter(value(to + 1)) &&
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
    } else if (c >= 0x80 && !is_unspaced_letter(c)) {
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
