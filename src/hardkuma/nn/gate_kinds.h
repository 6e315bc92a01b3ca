#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hardkuma/dist/support.h"

namespace hardkuma {

/// Kinds of gates. They differ in raw values, fused passes and initial biases, declared here. Their
/// distributions are in dist/, their arithmetic is in formulas.h.
enum class GateKind {
  HardKuma,      ///< two raw values per word: a and b before softplus
  Bernoulli,     ///< one: the logit
  HardConcrete,  ///< one: log alpha
};

constexpr int64_t raw_width(GateKind kind) {
  return kind == GateKind::HardKuma ? 2 : 1;
}

/// Bounds of HardKuma's a and b after softplus, and the support it is stretched to.
struct ShapeBounds {
  double min = 1e-6;
  double max = 100.0;
  Support support = {};
};

/// Inputs and outputs of n gates in one training step. Outputs are contiguous; derivatives have one
/// array of n elements per raw value.
template <typename T>
struct GateRows {
  int64_t n;
  const T* raw;
  int64_t ld_raw;
  const T* u;  ///< uniform in (0, 1)
  T* z;
  T* p_zero;
  T* p_nonzero;
  T* dz[2];  ///< of z by each raw value: 0 where z is 0 or 1
  T* dp[2];  ///< of p_nonzero by each raw value
};

/// Samples: z, P(z=0), P(z≠0) and their derivatives in one pass.
void draw_gate_rows(GateKind kind, const ShapeBounds& bounds, const GateRows<float>& rows);
void draw_gate_rows(GateKind kind, const ShapeBounds& bounds, const GateRows<double>& rows);

/// The values used at prediction; needs no u and writes no derivatives.
void decide_gate_rows(GateKind kind, const ShapeBounds& bounds, Decision decision,
                      const GateRows<float>& rows);
void decide_gate_rows(GateKind kind, const ShapeBounds& bounds, Decision decision,
                      const GateRows<double>& rows);

/// Initial biases that give P(z = 0) = 2%, or in a chain 13%, HardKuma's published start: a text's
/// first word has no previous state, and its gate does not recover from a more open start.
std::array<double, 2> open_biases(GateKind kind, bool dependent);

/// The range (low, high) of each raw value within which gate_bounds_penalty() is 0.
std::vector<double> bounds_range(GateKind kind);

}  // namespace hardkuma
