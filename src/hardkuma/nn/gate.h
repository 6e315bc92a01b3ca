#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <array>
#include <memory>

#include "hardkuma/common/random.h"
#include "hardkuma/dist/gate_distribution.h"
#include "hardkuma/nn/cells.h"
#include "hardkuma/nn/gate_kinds.h"
#include "hardkuma/nn/linear.h"
#include "hardkuma/nn/packed.h"

namespace hardkuma {

/// Gates of a whole batch, rows in its packed order.
struct GateValues {
  at::Tensor raw;  ///< [N, K] before softplus or sigmoid
  at::Tensor z;    ///< [N]
  at::Tensor p_zero;
  at::Tensor p_nonzero;
};

/// z, P(z=0), P(z≠0) of independent gates from raw values [N, K] and u [N] in one fused pass; the
/// gradient flows from all three to `raw` (a Bernoulli's z has none).
GateValues sample_gates(GateKind kind, const ShapeBounds& bounds, const at::Tensor& raw,
                        const at::Tensor& u);

/// The gates' values at prediction; no gradient.
GateValues decide_gates(GateKind kind, const ShapeBounds& bounds, const at::Tensor& raw,
                        Decision decision);

/// The distributions of independent gates with raw values [N, K].
std::unique_ptr<GateDistribution> gate_distribution(GateKind kind, const ShapeBounds& bounds,
                                                    const at::Tensor& raw);

/// Weights of a chain: dependent gates, each of which sees the z before it. S units, K raw values,
/// G and R as in RecurrentWeights, F features per word.
struct ChainWeights {
  at::Tensor w_states;  ///< [K + G·S, F] from a word's state: the raw values, then the cell's gates
  at::Tensor bias;      ///< [K + R·S]
  at::Tensor w_chain;   ///< [K + R·S, S] from the chain's previous state
  at::Tensor w_z;       ///< [G·S] from this word's z to the cell's gates
  at::Tensor out_bias;  ///< [S]; undefined for LstmCell
};

/// Dependent gates, computed left to right in one fused pass over time. A word's raw values come
/// from its state [N, F] and the chain's previous state; its z enters the chain's next state. If
/// `u` [N] is given, gates are sampled, with gradients to states and weights, also through z. If it
/// is undefined, gates are decided greedily, without gradients.
GateValues chain_gates(CellKind cell, GateKind kind, const ShapeBounds& bounds, Decision decision,
                       const at::Tensor& states, const at::Tensor& u, const ChainWeights& weights,
                       const Packed& packed);

struct GateOptions {
  int64_t in_features = 0;
  GateKind kind = GateKind::HardKuma;
  ShapeBounds bounds;
  /// Initial biases of the maps to raw values; 0 gives HardKuma's a = b = ln 2, as published.
  std::array<double, 2> biases = {0.0, 0.0};
  /// The last feature says how likely a word is to be needed: gates start the more open the larger
  /// it is.
  bool salience = false;
  int64_t chain_units = 0;  ///< 0: independent gates; else the units of the chain
  CellKind chain_cell = CellKind::Rcnn;
};

/// From a state per word [N, F] to a gate per word, independent or in a chain.
class GateImpl : public torch::nn::Module {
 public:
  GateImpl(const GateOptions& options, RandomKey key);

  GateValues sample(const at::Tensor& states, const at::Tensor& u, const Packed& packed);
  GateValues decide(const at::Tensor& states, Decision decision, const Packed& packed);

  std::unique_ptr<GateDistribution> distribution(const at::Tensor& raw) const {
    return gate_distribution(options_.kind, options_.bounds, raw);
  }

  /// Sets the support for sample(); decide() keeps that of the options.
  void set_drawn_support(const Support& support) { drawn_.support = support; }

  bool dependent() const { return options_.chain_units > 0; }
  GateKind kind() const { return options_.kind; }

  Linear shapes{nullptr};  // to the raw values; HardKuma: row 0 gives a, row 1 gives b

 private:
  ChainWeights chain_weights() const;

  GateOptions options_;
  ShapeBounds drawn_;
  // The chain's own cell, independent of the encoder's; its input is [state; z].
  at::Tensor w_ih_;
  at::Tensor w_hh_;
  at::Tensor b_ih_;
  at::Tensor b_hh_;
  at::Tensor b_gate_;
  at::Tensor b_out_;
};
TORCH_MODULE(Gate);

/// The squared distance of raw values [N, K] from the range where a gate's gradients do not vanish,
/// [N]. Inside the range, P(z = 0) covers 0.007 to 0.997 (HardKuma: 0.0007 to 0.9998) and the
/// penalty is 0. Far outside, every other gradient vanishes; only the penalty brings a gate back.
at::Tensor gate_bounds_penalty(GateKind kind, const at::Tensor& raw);

}  // namespace hardkuma
