#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "hardkuma/common/random.h"
#include "hardkuma/nn/encoder_kind.h"
#include "hardkuma/nn/packed.h"

namespace hardkuma {

struct EncoderOptions {
  int64_t in_features = 0;
  int64_t hidden = 0;  ///< units per direction
  ReadingRule rule = ReadingRule::Published;
};

/// The rows of a batch that an encoder has to read, given z.
struct Reading {
  at::Tensor rows;       ///< [M] int64, of the given batch; undefined: all
  Packed packed;         ///< what the encoder runs over
  at::Tensor sequences;  ///< [B'] int64, the text of each packed sequence; undefined: all, in order
  int64_t batch = 0;     ///< B
};

/// Implemented by encoders whose first linear map does not depend on a word's position: prediction
/// computes it once for equal words. project() maps x [U, D] to rows [U, projection_width]; the
/// others take a pointer to such a row for each word of a batch, or for each row of a reading. No
/// gradients.
class WordProjection {
 public:
  virtual ~WordProjection() = default;
  virtual int64_t projection_width() const = 0;
  virtual at::Tensor project(const at::Tensor& x) const = 0;
  virtual at::Tensor states_of(std::vector<const float*> words, const Packed& packed) const = 0;
  virtual at::Tensor summary_of(std::vector<const float*> words, const Packed& packed) const = 0;
  virtual at::Tensor summary_of(const std::vector<const float*>& words, const at::Tensor& z,
                                const Reading& reading) const = 0;
};

/// Encodes a packed batch: a state for each word, or a summary of each text's words scaled by z.
///
/// An encoder may skip words with z = 0: its summary must then equal that of a batch without these
/// words. An encoder that does not skip them reads zero vectors in their places.
class Encoder : public torch::nn::Module {
 public:
  /// Features of a state, and of a summary.
  virtual int64_t width() const = 0;

  /// x [N, D] to [N, width].
  virtual at::Tensor states(const at::Tensor& x, const Packed& packed) = 0;

  /// A summary over all words: [B, width].
  virtual at::Tensor summary(const at::Tensor& x, const Packed& packed) = 0;

  /// The rows to read, given z [N]; the embeddings of other words are not needed.
  virtual Reading read(const Packed& packed, const at::Tensor& z) const = 0;

  /// A summary over z·x, for the rows of a reading: x [M, D], z [M] to [B, width]. Zeros for a text
  /// without rows to read.
  virtual at::Tensor summary(const at::Tensor& x, const at::Tensor& z, const Reading& reading) = 0;

  /// Null if the encoder has no such projection.
  virtual const WordProjection* projection() const { return nullptr; }
};

/// Creates an encoder, with weights drawn from the key.
std::shared_ptr<Encoder> make_encoder(EncoderKind kind, const EncoderOptions& options,
                                      RandomKey key);

}  // namespace hardkuma
