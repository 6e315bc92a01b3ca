#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace hardkuma {

/// The three ways to fail. A message is one line: where, what, and the way out.
///
///   throw InputError("{}:{}: label \"{}\" is not a number", path, line, label);

/// The command itself was wrong; the program exits with 2.
class UsageError : public std::runtime_error {
 public:
  template <typename... Args>
  explicit UsageError(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// A file, a setting or a request was wrong; the program exits with 1.
class InputError : public std::runtime_error {
 public:
  template <typename... Args>
  explicit InputError(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// We were wrong; the program exits with 1.
class InternalError : public std::logic_error {
 public:
  template <typename... Args>
  explicit InternalError(fmt::format_string<Args...> format, Args&&... args)
      : std::logic_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

}  // namespace hardkuma
