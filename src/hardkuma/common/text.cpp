#include "hardkuma/common/text.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

// The code point at `at`, which moves behind it; negative where the UTF-8 is broken.
int32_t next_code_point(std::string_view text, int64_t& at) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto size = static_cast<int64_t>(text.size());
  UChar32 value = 0;
  U8_NEXT(bytes, at, size, value);
  return value;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitution = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row.back();
}

}  // namespace

size_t invalid_utf8(std::string_view text) {
  for (int64_t at = 0; at < static_cast<int64_t>(text.size());) {
    const int64_t start = at;
    if (next_code_point(text, at) < 0) return static_cast<size_t>(start);
  }
  return std::string_view::npos;
}

std::vector<CodePoint> code_points(std::string_view text) {
  std::vector<CodePoint> out;
  out.reserve(text.size());
  for (int64_t at = 0; at < static_cast<int64_t>(text.size());) {
    const int64_t start = at;
    const int32_t value = next_code_point(text, at);
    if (value < 0) throw InputError("broken UTF-8 at byte {} of the text", start + 1);
    out.push_back({value, start});
  }
  return out;
}

int64_t count_code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

bool is_letter(int32_t c) {
  return (U_MASK(u_charType(c)) & (U_GC_L_MASK | U_GC_M_MASK)) != 0;
}

bool is_unspaced_letter(int32_t c) {
  constexpr std::pair<int32_t, int32_t> kRanges[] = {
      {0x0e00, 0x0eff}, {0x1000, 0x109f}, {0x1780, 0x17ff}, {0x3040, 0x30ff},
      {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0x20000, 0x3ffff}};
  return c >= kRanges[0].first && is_letter(c) &&
         std::any_of(std::begin(kRanges), std::end(kRanges),
                     [c](const auto& range) { return c >= range.first && c <= range.second; });
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const CodePoint& point : code_points(text)) {
    char buffer[U8_MAX_LENGTH];
    int32_t used = 0;
    U8_APPEND_UNSAFE(buffer, used, u_tolower(point.value));
    out.append(buffer, static_cast<size_t>(used));
  }
  return out;
}

bool is_punctuation(std::string_view text) {
  for (const CodePoint& point : code_points(text)) {
    if (u_ispunct(point.value) == 0) return false;
  }
  return !text.empty();
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool ends_with_ignore_case(std::string_view text, std::string_view suffix) {
  if (text.size() < suffix.size()) return false;
  return std::equal(suffix.begin(), suffix.end(), text.end() - static_cast<long>(suffix.size()),
                    [](char a, char b) { return std::tolower(a) == std::tolower(b); });
}

bool parse_number(std::string_view text, double& value) {
  text = trim(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (text.empty()) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::vector<std::string> comma_separated(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const size_t comma = text.find(',');
    out.emplace_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

uint64_t hash_text(std::string_view text, uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : fmt::format("; did you mean \"{}\"?", best);
}

double rounded(double value) {
  const std::string text = fmt::format("{:.6g}", value);
  double out = 0.0;  // if the number is too small for a double
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

std::string with_commas(int64_t value) {
  const std::string digits = std::to_string(value < 0 ? -value : value);
  std::string out = value < 0 ? "-" : "";
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string short_duration(double seconds) {
  const auto total = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  if (total < 60) return fmt::format("{}s", total);
  if (total < 3600) return fmt::format("{}m {:02}s", total / 60, total % 60);
  return fmt::format("{}h {:02}m", total / 3600, total / 60 % 60);
}

std::string wrapped(std::string_view text, int64_t columns, std::string_view indent) {
  std::string out;
  int64_t used = 0;                  // columns of the line so far
  size_t space = std::string::npos;  // where this line can be broken
  int64_t used_at_space = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\x1b') {
      const size_t end = std::min(text.find('m', at), text.size() - 1);
      out += text.substr(at, end + 1 - at);
      at = end;
      continue;
    }
    out += c;
    if (c == '\n') {
      used = 0;
      space = std::string::npos;
      continue;
    }
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    used += continues ? 0 : 1;
    if (c == ' ') {
      space = out.size() - 1;
      used_at_space = used;
    } else if (used > columns && space != std::string::npos) {
      out.replace(space, 1, "\n" + std::string(indent));
      used += count_code_points(indent) - used_at_space;
      space = std::string::npos;
    }
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
      const int picture = c == 0x7f ? 0x21 : c;  // U+2400 and on
      out += "\xe2\x90";
      out += static_cast<char>(0x80 + picture);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F
      out += "\xef\xbf\xbd";
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

namespace {

constexpr std::string_view kEncoded = "bytes:";

}  // namespace

std::string storable_name(std::string_view name) {
  if (invalid_utf8(name) == std::string_view::npos && !name.starts_with(kEncoded)) {
    return std::string(name);
  }
  std::string out(kEncoded);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte >= 0x80 || c == '%' ? fmt::format("%{:02X}", byte) : std::string(1, c);
  }
  return out;
}

std::string restored_name(std::string_view stored) {
  if (!stored.starts_with(kEncoded)) return std::string(stored);
  stored.remove_prefix(kEncoded.size());
  std::string out;
  for (size_t i = 0; i < stored.size(); ++i) {
    unsigned byte = 0;
    const char* digits = stored.data() + i + 1;
    const bool escaped = stored[i] == '%' && i + 2 < stored.size() &&
                         std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    out += escaped ? static_cast<char>(byte) : stored[i];
    if (escaped) i += 2;
  }
  return out;
}

std::string quotable(std::string_view text, int64_t limit) {
  std::string out;
  int64_t count = 0;
  for (const char c : printable(text)) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80 && ++count > limit) return out + "…";
    out += c == '\n' || c == '\t' ? '?' : c;
  }
  return out;
}

}  // namespace hardkuma
