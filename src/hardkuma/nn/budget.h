#pragma once

#include <cstdint>
#include <vector>

namespace hardkuma {

/// How many of `units` a share comes to: to rounding, at least one.
int64_t budget_count(double share, int64_t units);

/// The places of the `count` highest scores, ascending; of equal scores the earlier.
std::vector<int64_t> top_places(const std::vector<float>& scores, int64_t count);

/// Of all ways to take `count` places in at most `spans` runs the one with the highest sum of
/// scores, ascending. Exact: a dynamic programme over places, taken so far and runs begun,
/// O(places · count · spans) time and a bit each of memory.
std::vector<int64_t> best_spans(const std::vector<float>& scores, int64_t count, int64_t spans);

}  // namespace hardkuma
