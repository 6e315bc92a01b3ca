#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hardkuma {

/// Byte offset of the first invalid UTF-8 sequence, or npos if there is none.
size_t invalid_utf8(std::string_view text);

/// One code point of valid UTF-8 and where it lies.
struct CodePoint {
  int32_t value = 0;
  int64_t byte = 0;
};

std::vector<CodePoint> code_points(std::string_view text);

int64_t count_code_points(std::string_view text);

std::string lower_case(std::string_view text);  ///< Unicode lower case

std::string_view trim(std::string_view text);  ///< ASCII white space off both ends

/// Is there nothing but punctuation? Symbols (emoji, currencies) are none.
bool is_punctuation(std::string_view text);

bool ends_with_ignore_case(std::string_view text, std::string_view suffix);

/// The whole of `text` as a number; false if it is anything else (or not finite).
bool parse_number(std::string_view text, double& value);

/// "a, b,c" as its trimmed words.
std::vector<std::string> comma_separated(std::string_view text);

/// 64-bit FNV-1a; pass the last result to go on.
uint64_t hash_text(std::string_view text, uint64_t hash = 0xcbf29ce484222325ULL);

/// The candidate nearest to `word` if it is near enough to be a slip, else "".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean \"lasso\"?" or "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// To six significant digits, the precision of a float32.
double rounded(double value);

/// "12,345".
std::string with_commas(int64_t value);

/// "3m 20s".
std::string short_duration(double seconds);

/// Control characters as their pictures (ESC as "␛"), so that text cannot steer a terminal; line
/// ends and tabs stay.
std::string printable(std::string_view text);

/// A file's name as valid UTF-8, and back: a name that is none is percent-encoded after "bytes:".
std::string storable_name(std::string_view name);
std::string restored_name(std::string_view stored);

/// Text for a one-line message: control characters replaced, cut to `limit` code points.
std::string quotable(std::string_view text, int64_t limit = 40);

}  // namespace hardkuma
