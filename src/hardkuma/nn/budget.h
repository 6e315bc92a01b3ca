#pragma once

#include <cstdint>
#include <vector>

namespace hardkuma {

/// The number of units in a share of them: rounded, at least 1 unless `units` is 0.
int64_t budget_count(double share, int64_t units);

/// The indices of the `count` highest scores, ascending; of equal scores the earlier wins.
std::vector<int64_t> top_places(const std::vector<float>& scores, int64_t count);

/// The `count` indices, in at most `spans` runs, with the highest sum of scores, ascending. Exact:
/// a dynamic programme over index, number taken and number of runs, in O(scores · count · spans)
/// time and bits of memory.
std::vector<int64_t> best_spans(const std::vector<float>& scores, int64_t count, int64_t spans);

}  // namespace hardkuma
