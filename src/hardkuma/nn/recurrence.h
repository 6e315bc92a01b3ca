#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/nn/cells.h"
#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// The rows of one step in one direction. In the forward direction step t follows t - 1, in the
/// backward direction t + 1. Because sequences are sorted longest first, either the sequences of a
/// step are the first ones of its predecessor's, or the other way round.
struct StepRows {
  int64_t offset;
  int64_t rows;
  int64_t previous_offset;
  int64_t previous_rows;  ///< how many of `rows` have a predecessor
};

StepRows step_rows(const Packed& packed, int direction, int64_t index);

/// states [N, H] shifted by one step in a direction, for the rows of the steps from `first_step` to
/// before `last_step`: each row gets its predecessor's state, or zeros.
at::Tensor previous_states(const at::Tensor& states, const Packed& packed, int direction,
                           int64_t first_step, int64_t last_step);

/// The input of a recurrence. Rows of the packed batch that are not listed are zero vectors: they
/// need no input product and pass no gradient to their scale.
struct RecurrentInput {
  at::Tensor x;      ///< [M, D]
  at::Tensor scale;  ///< [M], multiplies the rows of x; undefined: 1
  at::Tensor rows;   ///< [M] int64 ascending, their rows in the batch; undefined: M = N. Needs a
                     ///< scale
  at::Tensor fade;  ///< [N] z: the state moves by z from the one before towards the cell's, so that
                    ///< 0 leaves a word out and 1 reads it; undefined: 1. Excludes a scale
};

/// Both directions' weights, one tensor each; G, R are the cell's kGates, kRecurrent.
struct RecurrentWeights {
  at::Tensor w_ih;      ///< [2·G·H, D]
  at::Tensor w_hh;      ///< [2, R·H, H]
  at::Tensor bias;      ///< [2, R·H], of the gates that read the previous hidden state
  at::Tensor out_bias;  ///< [2, H]; undefined for LstmCell
};

/// A bidirectional recurrence over a packed batch, [N, 2H] out, forward units first, as one
/// autograd function. It processes the steps in blocks of about 500 rows: one GEMM for a block's
/// input projection (with a scale, one for all rows), then one recurrent GEMM and one elementwise
/// pass per step. The backward pass takes one GEMM per block and weight.
at::Tensor bi_recurrence(CellKind cell, const RecurrentInput& input,
                         const RecurrentWeights& weights, const Packed& packed);

/// The final states of bi_recurrence, [B, 2H]: forward at the last word, backward at the first.
/// `skip`, on a GPU: words whose scale is 0 are left out.
at::Tensor bi_recurrence_ends(CellKind cell, const RecurrentInput& input,
                              const RecurrentWeights& weights, const Packed& packed,
                              bool skip = false);

/// The input of a recurrence at prediction; a word's projection does not depend on its position.
struct ProjectedInput {
  std::vector<const float*> words;  ///< [N] x·w_ihᵀ without bias, 2·G·H each; null: a zero vector
  std::vector<float> scale;         ///< [N], multiplies them; empty: 1
  std::vector<float> fade = {};     ///< [N], as in RecurrentInput; empty: 1
};

/// bi_recurrence without gradients, and without the memory they need: [N, 2H], or with `final_only`
/// the final states [B, 2H].
at::Tensor infer_recurrence(CellKind cell, const ProjectedInput& input,
                            const RecurrentWeights& weights, const Packed& packed, bool final_only);

/// nullopt for an undefined tensor, as autograd functions expect an absent argument.
inline c10::optional<at::Tensor> if_defined(const at::Tensor& tensor) {
  return tensor.defined() ? c10::optional<at::Tensor>(tensor) : c10::nullopt;
}

/// The final state of both directions: forward at the last word, backward at the first. [B, 2H].
at::Tensor final_states(const at::Tensor& states, const Packed& packed);

}  // namespace hardkuma
