#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hardkuma {

/// Characters [start, end) of the text, in Unicode code points.
struct CharSpan {
  int64_t start = 0;
  int64_t end = 0;
};

/// One word of a text, by Unicode code points (what users see) and by bytes (what we cut).
struct Token {
  int64_t start = 0;
  int64_t end = 0;
  int64_t byte_start = 0;
  int64_t byte_end = 0;

  std::string_view in(std::string_view text) const {
    return text.substr(static_cast<size_t>(byte_start), static_cast<size_t>(byte_end - byte_start));
  }
};

/// One labelled text, ready for a batch.
struct Example {
  std::string id;
  std::string text;
  std::vector<Token> tokens;
  std::vector<int32_t> words;  ///< vocabulary numbers, one per token
  double target = 0.0;         ///< the class number, or the value to predict, scaled to [0, 1]
  std::vector<float> targets;  ///< instead of it, where several values are to be predicted
  bool has_gold = false;
  std::vector<uint8_t> gold;  ///< per token: 1 inside a gold span

  /// The k-th value to predict.
  double value(size_t k) const {
    return targets.empty() ? target : static_cast<double>(targets[k]);
  }
};

}  // namespace hardkuma
