#pragma once

#include <cstdint>
#include <vector>

#include "hardkuma/data/labels.h"

namespace hardkuma {

/// One example's prediction. Units are words in text order, or a pair's cells in row-major order: a
/// row for each word of the first text, a column for each of the second, both after NULL.
struct ExamplePrediction {
  std::vector<float> scores;  ///< class probabilities, or the sigmoid's value
  double task_loss = 0.0;
  std::vector<float> z;
  std::vector<float> p_zero;
  std::vector<float> p_one;
  bool gated = false;  ///< are `p_zero` and `p_one` probabilities of gates?
  int64_t least = 0;   ///< so many units are selected in any case, the likeliest ones

  int64_t best() const;                                    ///< the likeliest class
  int64_t selected() const;                                ///< number of z > 0
  double expected() const;                                 ///< expected number of units selected
  int64_t likeliest() const;                               ///< number that is likeliest not 0
  double value(const TaskInfo& task, size_t k = 0) const;  ///< regression, in the labels' units
};

}  // namespace hardkuma
