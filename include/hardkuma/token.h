#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hardkuma {

/// Characters [start, end) of a text, in Unicode code points.
struct CharSpan {
  int64_t start = 0;
  int64_t end = 0;
};

/// One word of a text, by Unicode code points (what users see) and by bytes (what we cut).
struct Token {
  int64_t start = 0;
  int64_t end = 0;
  int64_t byte_start = 0;
  int64_t byte_end = 0;

  std::string_view in(std::string_view text) const {
    return text.substr(static_cast<size_t>(byte_start), static_cast<size_t>(byte_end - byte_start));
  }
};

}  // namespace hardkuma
