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
  int64_t hidden = 0;  ///< units per direction, or what is like it
};

/// The rows of a batch an encoder has to look at, given z.
struct Reading {
  at::Tensor rows;       ///< [M] int64, in the batch that was given; undefined: all of them
  Packed packed;         ///< what the encoder runs over
  at::Tensor sequences;  ///< [B'] int64, whose summaries those are; undefined: all, in order
  int64_t batch = 0;     ///< B
};

/// What an encoder can do whose first map depends on the word alone, wherever it stands: prediction
/// then computes it once for equal words. x [U, D] gives rows [U, width]; the rest takes a row by
/// pointer for each of a batch's words, or for each row of a reading. No gradients.
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

/// Reads the words of a packed batch: a state for each, or a summary of what z leaves of each text.
///
/// Leaving the words with z = 0 out of the batch must not change a summary, for an encoder that
/// skips them; one that does not sees zero vectors in their places.
class Encoder : public torch::nn::Module {
 public:
  /// Features of a state, and of a summary.
  virtual int64_t width() const = 0;

  /// x [N, D] to [N, width].
  virtual at::Tensor states(const at::Tensor& x, const Packed& packed) = 0;

  /// Over all words: [B, width].
  virtual at::Tensor summary(const at::Tensor& x, const Packed& packed) = 0;

  /// Which words matter, given z [N]; the others need not be looked up.
  virtual Reading read(const Packed& packed, const at::Tensor& z) const = 0;

  /// Over z·x, for the rows of a reading: x [M, D], z [M] to [B, width]. Zeros for a text with
  /// nothing to read.
  virtual at::Tensor summary(const at::Tensor& x, const at::Tensor& z, const Reading& reading) = 0;

  /// Null where words are not projected one by one.
  virtual const WordProjection* projection() const { return nullptr; }
};

/// The encoder of a kind, its weights drawn from the key.
std::shared_ptr<Encoder> make_encoder(EncoderKind kind, const EncoderOptions& options,
                                      RandomKey key);

}  // namespace hardkuma
