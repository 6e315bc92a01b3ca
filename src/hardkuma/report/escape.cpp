#include "hardkuma/report/escape.h"

#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Does XML 1.0 allow the character at the start of this text?
bool allowed(std::string_view from) {
  const char c = from[0];
  if (static_cast<unsigned char>(c) < 0x20) return c == '\t' || c == '\n' || c == '\r';
  return !from.starts_with("\xef\xbf\xbe") && !from.starts_with("\xef\xbf\xbf");
}

// Replaces every byte that is not part of valid UTF-8.
std::string valid_utf8(std::string_view text) {
  std::string out;
  while (true) {
    const size_t bad = invalid_utf8(text);
    out += text.substr(0, bad);
    if (bad == std::string_view::npos) return out;
    out += kReplacement;
    text.remove_prefix(bad + 1);
  }
}

}  // namespace

std::string html_escape(std::string_view text) {
  if (invalid_utf8(text) != std::string_view::npos) return html_escape(valid_utf8(text));
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (allowed(text.substr(i))) {
          out += text[i];
        } else {
          out += kReplacement;
          if (text[i] == '\xef') i += 2;
        }
    }
  }
  return out;
}

}  // namespace hardkuma
