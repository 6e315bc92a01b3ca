#pragma once

#include <cstdint>
#include <vector>

namespace hardkuma {

/// Some runs that differ by their seed, as one number.
struct Spread {
  int64_t count = 0;
  double mean = 0.0;
  double deviation = 0.0;  ///< standard, of a single run; 0 of one
  double low = 0.0;        ///< 95% interval of the mean, by Student's t; of one run the mean
  double high = 0.0;
};
Spread spread_of(const std::vector<double>& values);

/// Where 97.5% of Student's t with so many degrees of freedom, 1 or more, lie below.
double student_t(int64_t degrees);

}  // namespace hardkuma
