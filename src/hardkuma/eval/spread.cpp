#include "hardkuma/eval/spread.h"

#include <array>
#include <cmath>
#include <numeric>

namespace hardkuma {

double student_t(int64_t degrees) {
  // Tabulated for few degrees; then the expansion around the normal is accurate to 1e-4.
  constexpr std::array<double, 12> kFew = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469,
                                           2.3646,  2.3060, 2.2622, 2.2281, 2.2010, 2.1788};
  if (degrees <= static_cast<int64_t>(kFew.size())) return kFew[static_cast<size_t>(degrees - 1)];
  constexpr double z = 1.959964;
  constexpr double z3 = z * z * z;
  constexpr double z5 = z3 * z * z;
  constexpr double z7 = z5 * z * z;
  const auto n = static_cast<double>(degrees);
  return z + (z3 + z) / (4.0 * n) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n) +
         (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n * n * n);
}

Spread spread_of(const std::vector<double>& values) {
  Spread out;
  out.count = static_cast<int64_t>(values.size());
  if (values.empty()) return out;
  const auto n = static_cast<double>(values.size());
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  out.low = out.high = out.mean;
  if (values.size() == 1) return out;
  double squares = 0.0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  out.deviation = std::sqrt(squares / (n - 1.0));
  const double half = student_t(out.count - 1) * out.deviation / std::sqrt(n);
  out.low -= half;
  out.high += half;
  return out;
}

}  // namespace hardkuma
