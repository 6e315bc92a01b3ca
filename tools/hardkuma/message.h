#pragma once

#include <fmt/format.h>

#include <string_view>
#include <type_traits>
#include <utility>

#include "hardkuma/common/text.h"
#include "output.h"

namespace hardkuma {

/// Writes to stderr. Never fails: a message that nobody reads must not end a training.
void write_message(std::string_view text) noexcept;

/// Makes text and names safe to show on a terminal; other values are unchanged.
template <typename T>
decltype(auto) shown(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return printable(value);
  } else {
    return value;
  }
}

/// Progress, warnings and errors. Escape sequences in the arguments are shown, not interpreted.
///
///   message("{}: already finished\n", directory);
template <typename... Args>
void message(fmt::format_string<Args...> format, Args&&... args) {
  const auto write = [&](const auto&... values) {  // newer fmt takes no temporaries
    write_message(fmt::vformat(format, fmt::make_format_args(values...)));
  };
  write(shown(args)...);
}

/// Results, on stdout; throws what Output throws.
template <typename... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  Output("").write(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hardkuma
