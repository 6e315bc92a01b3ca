#pragma once

#include "hardkuma/eval/calibration.h"
#include "hardkuma/eval/evaluation.h"
#include "hardkuma/model/config.h"

namespace hardkuma {

/// The selected share that is to be held: of all words, or the mean over texts (objective.share).
double selected_share(const Evaluation& evaluation, const Config& config);

/// How far it is from the target.
double distance_from_target(const Evaluation& evaluation, const Config& config);

/// Is a checkpoint with dev evaluation `a` a better choice than `b`? Within tolerance of the target
/// beats outside it; then the lower dev loss, or outside it the nearer rate.
bool better_checkpoint(const Evaluation& a, const Evaluation& b, const Config& config);

}  // namespace hardkuma
