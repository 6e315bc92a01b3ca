#pragma once

#include <cstddef>
#include <string>

namespace hardkuma {

/// An enumerator and the name that users write. Each enum has a table of these beside it, which the
/// settings table reads.
template <typename E>
struct Named {
  E value;
  const char* name;
};

template <typename E, size_t N>
std::string name_in(const Named<E> (&table)[N], E value) {
  for (const Named<E>& named : table) {
    if (named.value == value) return named.name;
  }
  return "?";
}

}  // namespace hardkuma
