#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "hardkuma/error.h"

namespace hardkuma {

/// The three ways to fail. A message is one line: where, what, and the way out.
///
///   throw InputError("{}:{}: label \"{}\" is not a number", path, line, label);

/// The command itself was wrong; the program exits with 2.
class UsageError : public Error {
 public:
  template <typename... Args>
  explicit UsageError(fmt::format_string<Args...> format, Args&&... args)
      : Error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// A file, a setting or a request was wrong; the program exits with 1.
class InputError : public Error {
 public:
  template <typename... Args>
  explicit InputError(fmt::format_string<Args...> format, Args&&... args)
      : Error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// We were wrong; the program exits with 1.
class InternalError : public Error {
 public:
  template <typename... Args>
  explicit InternalError(fmt::format_string<Args...> format, Args&&... args)
      : Error(fmt::format(format, std::forward<Args>(args)...)) {}
};

}  // namespace hardkuma
