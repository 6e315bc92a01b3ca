#include "hardkuma/common/random.h"

#include <cstddef>
#include <numeric>
#include <utility>

namespace hardkuma {

std::vector<int64_t> shuffled_indices(int64_t n, RandomKey key) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t i = n - 1; i > 0; --i) {
    const auto j = key.with(static_cast<uint64_t>(i)).below(static_cast<uint64_t>(i) + 1);
    std::swap(order[static_cast<size_t>(i)], order[j]);
  }
  return order;
}

}  // namespace hardkuma
