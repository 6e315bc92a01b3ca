#include "hardkuma/common/error.h"
#include "hardkuma/nn/bi_encoder.h"
#include "hardkuma/nn/encoder.h"

namespace hardkuma {

std::shared_ptr<Encoder> make_encoder(EncoderKind kind, const EncoderOptions& options,
                                      RandomKey key) {
  switch (kind) {
    case EncoderKind::Lstm:
      return std::make_shared<BiEncoderImpl>(CellKind::Lstm, options, key);
    case EncoderKind::Rcnn:
      return std::make_shared<BiEncoderImpl>(CellKind::Rcnn, options, key);
  }
  throw InternalError("[make_encoder] no encoder of kind {}", static_cast<int>(kind));
}

}  // namespace hardkuma
