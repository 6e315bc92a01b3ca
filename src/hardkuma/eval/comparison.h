#pragma once

#include <cstdint>
#include <vector>

#include "hardkuma/model/prediction.h"

namespace hardkuma {

/// A metric that is the sum of `numerators` over the sum of `denominators`, with one of each per
/// example.
struct Ratio {
  std::vector<double> numerators;
  std::vector<double> denominators;

  double value() const;
};

struct Difference {
  double value = 0.0;
  double low = 0.0;  ///< 95% interval
  double high = 0.0;

  bool certain() const { return low > 0.0 || high < 0.0; }
};

/// b - a on the same examples, which are resampled together (paired bootstrap).
Difference paired_difference(const Ratio& a, const Ratio& b, int64_t resamples, uint64_t seed);

/// How far two models select the same units of the same texts.
struct Overlap {
  double shared = 0.0;  ///< share of the first model's units that the second selects too
  double chance = 0.0;  ///< the same if the second selected as many of each text at random
};
Overlap selection_overlap(const std::vector<ExamplePrediction>& first,
                          const std::vector<ExamplePrediction>& second);

}  // namespace hardkuma
