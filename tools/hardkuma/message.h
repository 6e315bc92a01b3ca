#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "output.h"

namespace hardkuma {

/// Writes to stderr. Never fails: a message that nobody reads must not end a training.
void write_message(std::string_view text) noexcept;

/// Progress, warnings and errors.
///
///   message("{}: already finished\n", directory);
template <typename... Args>
void message(fmt::format_string<Args...> format, Args&&... args) {
  write_message(fmt::format(format, std::forward<Args>(args)...));
}

/// Results, on stdout; throws what Output throws.
template <typename... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  Output("").write(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hardkuma
