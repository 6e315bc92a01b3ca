#include "hardkuma/nn/budget.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

int64_t runs(const std::vector<int64_t>& places) {
  int64_t out = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    if (i == 0 || places[i] != places[i - 1] + 1) ++out;
  }
  return out;
}

// The dynamic programme's table after some places: the best sum for a number of places taken, a
// number of runs, and the last place taken or not.
class Sums {
 public:
  Sums(int64_t count, int64_t spans)
      : width_(spans + 1), values_(static_cast<size_t>((count + 1) * width_ * 2), kImpossible) {}

  double& at(int64_t taken, int64_t begun, bool last) {
    return values_[static_cast<size_t>((taken * width_ + begun) * 2 + (last ? 1 : 0))];
  }

 private:
  int64_t width_;
  std::vector<double> values_;
};

}  // namespace

int64_t budget_count(double share, int64_t units) {
  if (units == 0) return 0;
  return std::clamp<int64_t>(std::llround(share * static_cast<double>(units)), 1, units);
}

std::vector<int64_t> top_places(const std::vector<float>& scores, int64_t count) {
  std::vector<int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto better = [&](int64_t i, int64_t j) {
    const float a = scores[static_cast<size_t>(i)];
    const float b = scores[static_cast<size_t>(j)];
    return a != b ? a > b : i < j;
  };
  std::nth_element(order.begin(), order.begin() + count, order.end(), better);
  order.resize(static_cast<size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<int64_t> best_spans(const std::vector<float>& scores, int64_t count, int64_t spans) {
  const auto n = static_cast<int64_t>(scores.size());
  if (count < 0 || count > n || spans < 1) {
    throw InternalError("[best_spans] {} of {} places in {} runs", count, n, spans);
  }
  std::vector<int64_t> out = top_places(scores, count);
  if (runs(out) <= spans) return out;
  spans = std::min(spans, count);
  // For each state after each place: was the previous place taken? `last` is part of the state.
  const int64_t width = spans + 1;
  const int64_t states = (count + 1) * width;
  std::vector<bool> before(static_cast<size_t>(n * states * 2), false);
  const auto bit = [&](int64_t place, int64_t taken, int64_t begun, bool last) {
    return static_cast<size_t>((place * states + taken * width + begun) * 2 + (last ? 1 : 0));
  };
  Sums sums(count, spans);
  Sums next(count, spans);
  sums.at(0, 0, false) = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    const double score = scores[static_cast<size_t>(i)];
    // Other states cannot be reached, or leave too few places to reach `count`.
    const int64_t fewest = std::max<int64_t>(0, count - (n - i - 1));
    const int64_t most = std::min(count, i + 1);
    for (int64_t taken = fewest; taken <= most; ++taken) {
      for (int64_t begun = 0; begun <= std::min(spans, taken); ++begun) {
        const double left_after_left = sums.at(taken, begun, false);
        const double left_after_taken = sums.at(taken, begun, true);
        before[bit(i, taken, begun, false)] = left_after_taken > left_after_left;
        next.at(taken, begun, false) = std::max(left_after_left, left_after_taken);
        const bool possible = taken > 0 && begun > 0;
        const double goes_on = possible ? sums.at(taken - 1, begun, true) : kImpossible;
        const double begins = possible ? sums.at(taken - 1, begun - 1, false) : kImpossible;
        before[bit(i, taken, begun, true)] = goes_on >= begins;
        next.at(taken, begun, true) = std::max(goes_on, begins) + score;
      }
    }
    std::swap(sums, next);
  }
  int64_t begun = 0;
  bool last = false;
  double best = kImpossible;
  for (int64_t b = 0; b <= spans; ++b) {
    for (const bool l : {false, true}) {
      if (sums.at(count, b, l) <= best) continue;
      best = sums.at(count, b, l);
      begun = b;
      last = l;
    }
  }
  out.clear();
  int64_t taken = count;
  for (int64_t i = n - 1; i >= 0; --i) {
    const bool earlier = before[bit(i, taken, begun, last)];
    if (last) {
      out.push_back(i);
      --taken;
      if (!earlier) --begun;
    }
    last = earlier;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace hardkuma
