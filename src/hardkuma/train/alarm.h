#pragma once

#include <string>
#include <vector>

#include "hardkuma/model/config.h"
#include "hardkuma/model/prediction.h"

namespace hardkuma {

/// Degenerate selections, which carry no information about a text.
enum class Degeneration {
  None,
  Nothing,      ///< no words
  Everything,   ///< all words
  Punctuation,  ///< nothing but punctuation
  Places,       ///< the same positions in every text, whatever the words
};

Degeneration degeneration(const std::vector<Example>& set,
                          const std::vector<ExamplePrediction>& predictions);

/// The warning, with the setting to change; "" for None, and for Everything if the target is above
/// 90%.
std::string advice(Degeneration degeneration, const Config& config);

}  // namespace hardkuma
