#pragma once

#include <cstdint>
#include <vector>

#include "hardkuma/data/labels.h"

namespace hardkuma {

/// One example's prediction, its units in their order: words as in the text; the cells of a pair
/// row by row, a row for each word of the first text, NULL the first of both.
struct ExamplePrediction {
  std::vector<float> scores;  ///< class probabilities, or the sigmoid's value
  double task_loss = 0.0;
  std::vector<float> z;
  std::vector<float> p_zero;
  std::vector<float> p_one;
  bool gated = false;  ///< are these probabilities of gates?

  int64_t best() const;                                    ///< the likeliest class
  int64_t selected() const;                                ///< how many z > 0
  double expected() const;                                 ///< how many, Σ P(z ≠ 0)
  int64_t likeliest() const;                               ///< how many are likeliest not 0
  double value(const TaskInfo& task, size_t k = 0) const;  ///< regression, in the labels' units
};

}  // namespace hardkuma
