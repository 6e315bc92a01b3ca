#pragma once

#include <vector>

#include "hardkuma/data/vocabulary.h"
#include "hardkuma/model/config.h"
#include "hardkuma/model/linear_part.h"

namespace hardkuma {

/// Fits a linear model of single words to the training texts: logistic regression by AdaGrad
/// (Duchi et al. 2011), stopped after the epoch with the lowest loss on left-out texts. A word's
/// weights are the sum of its own and those of the runs of 3 to 5 letters in it (of 1 to 3 in
/// scripts without spaces), so that rare words share what similar words have taught; rare features
/// weigh more (inverse document frequency).
LinearFit fit_linear_part(const std::vector<Example>& train, const Vocabulary& vocabulary,
                          const Config& config);

}  // namespace hardkuma
