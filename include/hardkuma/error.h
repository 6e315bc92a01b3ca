#pragma once

#include <stdexcept>

namespace hardkuma {

/// The exception of the public API. Its message is one line: where, what, and the way out.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hardkuma
