#pragma once

#include "hardkuma/eval/calibration.h"
#include "hardkuma/eval/evaluation.h"
#include "hardkuma/model/config.h"

namespace hardkuma {

/// The selected share to hold at the target: of all words, or the mean over texts.
double selected_share(const Evaluation& evaluation, const Config& config);

/// How far it is from the target.
double distance_from_target(const Evaluation& evaluation, const Config& config);

/// Is it within train.tolerance of the target, or does the model have no target?
bool on_target(const Evaluation& evaluation, const Config& config);

/// Is a checkpoint with dev evaluation `a` a better choice than `b`? A share within tolerance of
/// the target beats one outside it. Within it the lower dev loss wins, outside it the nearer share.
bool better_checkpoint(const Evaluation& a, const Evaluation& b, const Config& config);

}  // namespace hardkuma
