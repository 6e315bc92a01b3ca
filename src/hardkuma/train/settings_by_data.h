#pragma once

#include <cstdint>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// What the training texts are like.
struct DataSize {
  int64_t texts = 0;
  int64_t tokens = 0;
  int64_t vocabulary = 0;  ///< known words
};

/// Sets what the settings leave to the data: train.epochs, train.batch and train.learning_rate
/// where they are 0, model.dropout and train.weight_decay where they are negative.
///
///  - Few texts need many passes in small batches; many texts must not take hours.
///  - Where each word occurs a few dozen times, as in most texts that people write, a network
///    memorises which text it stands in: much dropout, a low learning rate. Where each occurs
///    hundreds of times it cannot, and has to learn how words go together: the opposite.
///  - A larger batch has a larger learning rate.
void choose_settings(Config& config, const DataSize& size);

/// Where `to` leaves a setting to the data, sets it as it was chosen for `from`.
void keep_choices(const Config& from, Config& to);

}  // namespace hardkuma
