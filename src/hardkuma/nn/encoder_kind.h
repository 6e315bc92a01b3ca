#pragma once

#include "hardkuma/common/named.h"

namespace hardkuma {

enum class EncoderKind {
  Lstm,  ///< bidirectional
  Rcnn,  ///< bidirectional gated averages of bigrams (Lei et al. 2016)
};
inline constexpr Named<EncoderKind> kEncoders[] = {{EncoderKind::Lstm, "lstm"},
                                                   {EncoderKind::Rcnn, "rcnn"}};

/// How z in (0, 1] weighs the words that a classifier reads.
enum class ReadingRule {
  /// The state moves by z: s = (1 - z) s' + z cell(s', x). z = 0 is exactly "the word is not
  /// there".
  Fade,
  /// As published: z multiplies the embedding; with z = 0 an LSTM reads a zero vector and an RCNN
  /// skips the word.
  Published,
};
inline constexpr Named<ReadingRule> kReadingRules[] = {{ReadingRule::Fade, "fade"},
                                                       {ReadingRule::Published, "published"}};

}  // namespace hardkuma
