#pragma once

#include <exception>
#include <string>

#include "hardkuma/error.h"

namespace hardkuma {

/// The sentence to show for an exception: libtorch's without its backtrace, and what to do where
/// memory ran out.
std::string sentence_of(const std::exception& error);

/// Calls `work`; what it throws becomes an Error, libtorch's and the standard library's exceptions
/// too.
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
