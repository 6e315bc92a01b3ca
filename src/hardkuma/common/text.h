#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hardkuma {

/// Byte offset of the first invalid UTF-8 sequence, or npos if there is none.
size_t invalid_utf8(std::string_view text);

/// One code point of valid UTF-8 and its byte offset.
struct CodePoint {
  int32_t value = 0;
  int64_t byte = 0;
};

std::vector<CodePoint> code_points(std::string_view text);

int64_t count_code_points(std::string_view text);

bool is_letter(int32_t c);  ///< also a mark that belongs to one

/// A letter of a script that is written without spaces between words: Thai, Lao, Myanmar, Khmer,
/// Japanese and Chinese.
bool is_unspaced_letter(int32_t c);

std::string lower_case(std::string_view text);  ///< Unicode lower case

std::string_view trim(std::string_view text);  ///< without ASCII white space at both ends

/// Is the text only punctuation? Symbols (emoji, currencies) are not punctuation.
bool is_punctuation(std::string_view text);

bool ends_with_ignore_case(std::string_view text, std::string_view suffix);

/// Parses the whole of `text` as a number; false if it is not a finite number.
bool parse_number(std::string_view text, double& value);

/// "a, b,c" as its trimmed words.
std::vector<std::string> comma_separated(std::string_view text);

/// 64-bit FNV-1a; to continue a hash, pass it as `hash`.
uint64_t hash_text(std::string_view text, uint64_t hash = 0xcbf29ce484222325ULL);

/// The candidate nearest to `word` if it may be a typing error, else "".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean \"lasso\"?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// To six significant digits, the precision of a float32.
double rounded(double value);

/// "12,345".
std::string with_commas(int64_t value);

/// "3m 20s".
std::string short_duration(double seconds);

/// Replaces control characters by their symbols (ESC by "␛"), so that text cannot control a
/// terminal; keeps line ends and tabs.
std::string printable(std::string_view text);

/// Breaks the text at spaces, so that no line has more than `columns` code points unless a word is
/// longer. Lines after a break begin with `indent`. Colours (SGR sequences) have no width.
std::string wrapped(std::string_view text, int64_t columns, std::string_view indent = "  ");

/// A file's name as valid UTF-8, and back: invalid UTF-8 is percent-encoded after "bytes:".
std::string storable_name(std::string_view name);
std::string restored_name(std::string_view stored);

/// Text for a one-line message: control characters replaced, cut to `limit` code points.
std::string quotable(std::string_view text, int64_t limit = 40);

}  // namespace hardkuma
