#pragma once

#include <cstdint>
#include <vector>

#include "hardkuma/data/example.h"

namespace hardkuma::test {

/// A pair of texts by their words' numbers.
inline Example pair_of(std::vector<int32_t> first, std::vector<int32_t> second, double target) {
  Example out;
  out.is_pair = true;
  out.words = std::move(first);
  out.second.words = std::move(second);
  out.target = target;
  return out;
}

}  // namespace hardkuma::test
