#pragma once

#include <ATen/core/Tensor.h>

#include "hardkuma/nn/cells.h"
#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// Where one step of one direction finds its rows. In the forward direction step t follows t - 1,
/// in the backward direction t + 1; because rows are sorted longest first, the live rows of a step
/// and of its predecessor are prefixes of each other.
struct StepRows {
  int64_t offset;
  int64_t rows;
  int64_t previous_offset;
  int64_t previous_rows;  ///< how many of `rows` have a predecessor
};

StepRows step_rows(const Packed& packed, int direction, int64_t index);

/// states [N, H] shifted by one step in a direction, for the rows of some of its steps: each gets
/// its predecessor's, or zeros.
at::Tensor previous_states(const at::Tensor& states, const Packed& packed, int direction,
                           int64_t first_step, int64_t last_step);

/// What a recurrence reads. Rows of the packed batch that are not listed read as zero vectors,
/// without an input product, and pass no gradient to their scale.
struct RecurrentInput {
  at::Tensor x;      ///< [M, D]
  at::Tensor scale;  ///< [M], multiplies the rows of x; undefined: 1
  at::Tensor rows;   ///< [M] int64 ascending, where they lie in the batch; undefined: M = N. Only
                     ///< together with a scale
};

/// Both directions' weights, one tensor each; G, R are the cell's kGates, kRecurrent.
struct RecurrentWeights {
  at::Tensor w_ih;      ///< [2·G·H, D]
  at::Tensor w_hh;      ///< [2, R·H, H]
  at::Tensor bias;      ///< [2, R·H], of the gates that see the last hidden state
  at::Tensor out_bias;  ///< [2, H]; undefined for LstmCell
};

/// A bidirectional recurrence over a packed batch, [N, 2H] out, forward units first, as one
/// autograd function. It goes through the steps in runs of about 500 rows: one GEMM for a run's
/// input projection (with a scale, one for all rows), a loop of one recurrent GEMM and one
/// elementwise pass per step; going back, one GEMM per run and weight.
at::Tensor bi_recurrence(CellKind cell, const RecurrentInput& input,
                         const RecurrentWeights& weights, const Packed& packed);

/// Its final states [B, 2H]: forward at the last word, backward at the first. `skip`, on a GPU:
/// words whose scale is 0 are left out.
at::Tensor bi_recurrence_ends(CellKind cell, const RecurrentInput& input,
                              const RecurrentWeights& weights, const Packed& packed,
                              bool skip = false);

/// What a recurrence reads at prediction, where a word's projection does not depend on its place.
struct ProjectedInput {
  std::vector<const float*> words;  ///< [N] x·w_ihᵀ without bias, 2·G·H each; null: a zero vector
  std::vector<float> scale;         ///< [N], multiplies them; empty: 1
};

/// bi_recurrence without gradients and without keeping what they need: [N, 2H], or with
/// `final_only` the final states [B, 2H].
at::Tensor infer_recurrence(CellKind cell, const ProjectedInput& input,
                            const RecurrentWeights& weights, const Packed& packed, bool final_only);

/// An undefined tensor as none: what an autograd function accepts as an absent argument.
inline c10::optional<at::Tensor> if_defined(const at::Tensor& tensor) {
  return tensor.defined() ? c10::optional<at::Tensor>(tensor) : c10::nullopt;
}

/// The final state of both directions: forward at the last word, backward at the first. [B, 2H].
at::Tensor final_states(const at::Tensor& states, const Packed& packed);

}  // namespace hardkuma
