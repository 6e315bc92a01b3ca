#pragma once

#include <exception>
#include <string>

#include "hardkuma/error.h"

namespace hardkuma {

/// The message to show for an exception: libtorch's without its backtrace, and advice if memory
/// ran out.
std::string sentence_of(const std::exception& error);

/// Calls `work` and turns all exceptions into an Error, including those of libtorch and the
/// standard library.
template <typename Work>
auto translated(const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(sentence_of(error));
  }
}

}  // namespace hardkuma
