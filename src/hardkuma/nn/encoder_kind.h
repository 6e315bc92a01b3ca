#pragma once

#include "hardkuma/common/named.h"

namespace hardkuma {

enum class EncoderKind {
  Lstm,  ///< bidirectional; words with z = 0 are zero vectors
  Rcnn,  ///< bidirectional gated averages of bigrams (Lei et al. 2016); skips words with z = 0
};
inline constexpr Named<EncoderKind> kEncoders[] = {{EncoderKind::Lstm, "lstm"},
                                                   {EncoderKind::Rcnn, "rcnn"}};

}  // namespace hardkuma
