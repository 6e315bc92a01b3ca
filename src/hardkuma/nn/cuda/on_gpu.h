#pragma once

#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/dropout.h"
#include "hardkuma/nn/gate.h"
#include "hardkuma/nn/packed.h"
#include "hardkuma/nn/pair_attention.h"
#include "hardkuma/nn/pairs.h"
#include "hardkuma/nn/recurrence.h"

/// The functions of nn/ for tensors on a GPU, on its current stream. The functions for the CPU, of
/// the same names, are documented in the other headers.
namespace hardkuma::on_gpu {

/// Was this program built for GPUs?
bool built();

/// The stream that tensor operations are queued on now.
void* stream();

at::Tensor row_keys(const Packed& packed, const ExampleIds& examples, const StepKey& key);
at::Tensor text_keys(const ExampleIds& examples, const StepKey& key);
at::Tensor row_uniforms(const Packed& packed, const ExampleIds& examples, const StepKey& key,
                        at::ScalarType dtype);
at::Tensor mean_by_sequence(const at::Tensor& values, const Packed& packed);
at::Tensor expected_transitions(const at::Tensor& p_zero, const at::Tensor& p_nonzero,
                                const Packed& packed);

at::Tensor drop(const at::Tensor& x, const Dropout& dropout);
at::Tensor rectify(const at::Tensor& x, const at::Tensor& bias, const Dropout& dropout);
at::Tensor embed(const at::Tensor& table, const at::Tensor& words, const Dropout& dropout);

/// `low_high`: the range of each raw value.
at::Tensor bounds_penalty(const at::Tensor& raw, const std::vector<double>& low_high);

GateValues chain_gates(CellKind cell, GateKind kind, const ShapeBounds& bounds, Decision decision,
                       const at::Tensor& states, const at::Tensor& u, const ChainWeights& weights,
                       const Packed& packed);

/// A state per word [N, 2H], or with `final_only` the final states [B, 2H]. The input has all rows.
/// `skip` leaves out the words whose scale or fade is 0; it requires `final_only`.
at::Tensor bi_recurrence(CellKind cell, const RecurrentInput& input,
                         const RecurrentWeights& weights, const Packed& packed, bool final_only,
                         bool skip);

at::Tensor pair_row_keys(const Pairs& pairs, const ExampleIds& examples, const StepKey& key);
at::Tensor cell_uniforms(const Pairs& pairs, const ExampleIds& examples, const StepKey& key,
                         at::ScalarType dtype);
at::Tensor mean_by_pair(const at::Tensor& values, const Pairs& pairs);

at::Tensor pair_scores(const at::Tensor& x, const Pairs& pairs, int64_t heads);
PairWeights pair_softmax(const at::Tensor& scores, const at::Tensor& z, const Pairs& pairs);
at::Tensor pair_mix(const PairWeights& weights, const at::Tensor& x, const Pairs& pairs,
                    const at::Tensor& base);
at::Tensor pair_sums(const at::Tensor& x, const Pairs& pairs);

}  // namespace hardkuma::on_gpu
