#include "hardkuma/eval/comparison.h"

#include <algorithm>
#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/common/random.h"

namespace hardkuma {
namespace {

double quotient(double part, double whole) {
  return whole > 0.0 ? part / whole : 0.0;
}

}  // namespace

double Ratio::value() const {
  double part = 0.0;
  double whole = 0.0;
  for (size_t i = 0; i < parts.size(); ++i) {
    part += parts[i];
    whole += wholes[i];
  }
  return quotient(part, whole);
}

Difference paired_difference(const Ratio& a, const Ratio& b, int64_t resamples, uint64_t seed) {
  const size_t count = a.parts.size();
  if (count == 0 || count != b.parts.size()) {
    throw InternalError("[paired_difference] {} and {} examples", count, b.parts.size());
  }
  std::vector<double> differences;
  const RandomKey key(seed);
  for (int64_t r = 0; r < resamples; ++r) {
    const RandomKey draw = key.with(static_cast<uint64_t>(r));
    double sums[4] = {};
    for (size_t i = 0; i < count; ++i) {
      const auto k = static_cast<size_t>(draw.with(i).below(count));
      sums[0] += a.parts[k];
      sums[1] += a.wholes[k];
      sums[2] += b.parts[k];
      sums[3] += b.wholes[k];
    }
    differences.push_back(quotient(sums[2], sums[3]) - quotient(sums[0], sums[1]));
  }
  std::sort(differences.begin(), differences.end());
  const auto at = [&](double share) {
    const auto last = static_cast<double>(differences.size() - 1);
    return differences[static_cast<size_t>(std::llround(share * last))];
  };
  return {b.value() - a.value(), at(0.025), at(0.975)};
}

}  // namespace hardkuma
