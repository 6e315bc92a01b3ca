#pragma once

#include <vector>

#include "hardkuma/model/kinds.h"
#include "hardkuma/model/prediction.h"

namespace hardkuma {

/// The threshold at which what is not zero with at least that probability is nearest to `target` of
/// these predictions; 2, at which nothing is, if that is nearest. What is never anything but zero
/// stays out.
double calibrated_threshold(const std::vector<ExamplePrediction>& predictions, double target,
                            Share share);

/// The threshold nearest to `start`, which was found on other texts, at which these select `target`
/// within three tenths of a point (a fiftieth of a target below 15%, or of what is left out above
/// 85%): a few hundred texts tell no better, and two sets tell more than one.
double nearest_threshold(double start, const std::vector<ExamplePrediction>& predictions,
                         double target, Share share);

}  // namespace hardkuma
