#pragma once

#include <atomic>
#include <optional>

#include "hardkuma/model/config.h"
#include "hardkuma/model/ngram_svm.h"
#include "hardkuma/train/observer.h"

namespace hardkuma {

/// Trains the linear baseline by liblinear: an L2-loss support vector machine per class, or a
/// support vector regression per value. Unless config.train.svm_cost sets it, the weight of errors
/// is the best of six on dev; each is reported to the observer. Once `stop` is set, the result is
/// empty.
std::optional<NgramSvm> train_svm(const Config& config, const std::vector<Example>& train,
                                  const std::vector<Example>& dev,
                                  const std::atomic<bool>* stop = nullptr,
                                  TrainObserver* observer = nullptr);

}  // namespace hardkuma
