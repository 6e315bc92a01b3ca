#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hardkuma/token.h"

namespace hardkuma {

/// A text as vocabulary ids.
struct Words {
  std::string text;
  std::vector<Token> tokens;
  std::vector<int32_t> words;  ///< vocabulary ids, one per token
  std::vector<uint8_t> gold;   ///< per token: 1 inside a gold span
  /// Per token: 1 if the vocabulary lacks the word; empty: all are known.
  std::vector<uint8_t> unknown = {};
};

/// One labelled text, or pair of texts, ready for a batch.
struct Example : Words {
  std::string id;
  double target = 0.0;         ///< the class number, or the value to predict, scaled to [0, 1]
  std::vector<float> targets;  ///< replace `target` if several values are predicted
  bool has_gold = false;
  bool is_pair = false;
  Words second;  ///< of a pair

  /// Number of units to select from: words, or for a pair the cells between the words of its texts,
  /// each with the NULL word in front.
  int64_t units() const {
    const auto count = static_cast<int64_t>(words.size());
    return is_pair ? (count + 1) * (static_cast<int64_t>(second.words.size()) + 1) : count;
  }

  /// The k-th value to predict.
  double value(size_t k) const {
    return targets.empty() ? target : static_cast<double>(targets[k]);
  }
};

}  // namespace hardkuma
