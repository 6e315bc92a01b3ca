#pragma once

#include <vector>

#include "hardkuma/data/example.h"
#include "hardkuma/model/kinds.h"
#include "hardkuma/model/prediction.h"

namespace hardkuma {

/// The threshold on P(z ≠ 0) that selects a share of these predictions nearest to `target`; 2 if
/// selecting nothing is nearest. Units with P(z = 0) = 1 are never selected but
/// where an example would have fewer than its `least`.
double calibrated_threshold(const std::vector<ExamplePrediction>& predictions, double target,
                            Share share);

/// The threshold nearest to `start`, found on other texts, at which these predictions select
/// `target` within 0.3 points (2% of a target below 15%, or of its complement above 85%). A few
/// hundred texts measure no more precisely, and staying near `start` uses both sets of texts.
double nearest_threshold(double start, const std::vector<ExamplePrediction>& predictions,
                         double target, Share share);

/// The temperature of class probabilities with the lowest loss on labelled texts: p^(1/t), scaled
/// to sum to one. A single pseudo-observation keeps it near 1 where there are few texts.
double best_temperature(const std::vector<Example>& set,
                        const std::vector<ExamplePrediction>& predictions);

}  // namespace hardkuma
