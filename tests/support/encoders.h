#pragma once

#include "hardkuma/nn/cells.h"
#include "hardkuma/nn/encoder_kind.h"

namespace hardkuma::test {

/// The encoder made of a cell.
inline EncoderKind encoder_of(CellKind cell) {
  return cell == CellKind::Lstm ? EncoderKind::Lstm : EncoderKind::Rcnn;
}

}  // namespace hardkuma::test
