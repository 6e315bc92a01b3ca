#pragma once

#include <string>
#include <vector>

#include "hardkuma/model/config.h"
#include "hardkuma/model/prediction.h"

namespace hardkuma {

/// Ways in which what is selected says nothing about the text.
enum class Degeneration {
  None,
  Nothing,      ///< no words
  Everything,   ///< all words
  Punctuation,  ///< nothing but punctuation
  Places,       ///< the same places in every text, whatever stands there
};

Degeneration degeneration(const std::vector<Example>& set,
                          const std::vector<ExamplePrediction>& predictions);

/// What to say about it, with the setting to change; "" for None, and for Everything where the
/// target is about that.
std::string advice(Degeneration degeneration, const Config& config);

}  // namespace hardkuma
