#pragma once

#include <cstdint>
#include <vector>

namespace hardkuma {

/// The mean and spread of runs that differ only in their seed.
struct Spread {
  int64_t count = 0;
  double mean = 0.0;
  double deviation = 0.0;  ///< standard deviation of single runs; 0 for one run
  double low = 0.0;        ///< 95% interval of the mean, by Student's t; for one run the mean
  double high = 0.0;
};
Spread spread_of(const std::vector<double>& values);

/// The 97.5% quantile of Student's t with this many degrees of freedom, 1 or more.
double student_t(int64_t degrees);

}  // namespace hardkuma
