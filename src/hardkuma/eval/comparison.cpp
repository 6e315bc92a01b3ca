#include "hardkuma/eval/comparison.h"

#include <algorithm>
#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/common/random.h"

namespace hardkuma {
namespace {

double quotient(double numerator, double denominator) {
  return denominator > 0.0 ? numerator / denominator : 0.0;
}

}  // namespace

double Ratio::value() const {
  double numerator = 0.0;
  double denominator = 0.0;
  for (size_t i = 0; i < numerators.size(); ++i) {
    numerator += numerators[i];
    denominator += denominators[i];
  }
  return quotient(numerator, denominator);
}

Difference paired_difference(const Ratio& a, const Ratio& b, int64_t resamples, uint64_t seed) {
  const size_t count = a.numerators.size();
  if (count == 0 || count != b.numerators.size()) {
    throw InternalError("[paired_difference] {} and {} examples", count, b.numerators.size());
  }
  std::vector<double> differences;
  const RandomKey key(seed);
  for (int64_t r = 0; r < resamples; ++r) {
    const RandomKey draw = key.with(static_cast<uint64_t>(r));
    double sums[4] = {};
    for (size_t i = 0; i < count; ++i) {
      const auto k = static_cast<size_t>(draw.with(i).below(count));
      sums[0] += a.numerators[k];
      sums[1] += a.denominators[k];
      sums[2] += b.numerators[k];
      sums[3] += b.denominators[k];
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

Overlap selection_overlap(const std::vector<ExamplePrediction>& first,
                          const std::vector<ExamplePrediction>& second) {
  double both = 0.0;
  double chance = 0.0;
  double selected = 0.0;
  for (size_t i = 0; i < first.size(); ++i) {
    const std::vector<float>& a = first[i].z;
    const std::vector<float>& b = second.at(i).z;
    if (a.size() != b.size()) {
      throw InternalError("[selection_overlap] {} and {} units", a.size(), b.size());
    }
    for (size_t t = 0; t < a.size(); ++t) both += a[t] > 0.0f && b[t] > 0.0f ? 1.0 : 0.0;
    const auto own = static_cast<double>(first[i].selected());
    selected += own;
    if (!a.empty()) {
      chance += own * static_cast<double>(second[i].selected()) / static_cast<double>(a.size());
    }
  }
  return selected == 0.0 ? Overlap{} : Overlap{both / selected, chance / selected};
}

}  // namespace hardkuma
