#include "hardkuma/nn/gate_kinds.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>

#include "hardkuma/dist/bernoulli.h"
#include "hardkuma/dist/hard_concrete.h"
#include "hardkuma/dist/kuma.h"
#include "hardkuma/dist/stable.h"
#include "hardkuma/nn/formulas.h"
#include "hardkuma/nn/gate.h"
#include "hardkuma/nn/vector_math.h"

namespace hardkuma {
namespace {

constexpr int64_t kChunk = 128;  // gates at a time, so that raw values are contiguous

// Copies the raw values of `count` gates to two contiguous arrays.
template <typename T>
HARDKUMA_INLINE void side_by_side(const GateRows<T>& rows, int64_t from, int64_t count, T* raw_a,
                                  T* raw_b) {
  for (int64_t i = 0; i < count; ++i) {
    raw_a[i] = rows.raw[(from + i) * rows.ld_raw];
    raw_b[i] = rows.raw[(from + i) * rows.ld_raw + 1];
  }
}

// Quantiles of the standard logistic, and their weights in a mean.
struct LogisticNodes {
  LogisticNodes() {
    const auto [places, shares] = gauss_legendre(kCount);
    for (int64_t i = 0; i < kCount; ++i) {
      quantile[static_cast<size_t>(i)] = logit(places[i].item<double>());
      weight[static_cast<size_t>(i)] = shares[i].item<double>();
    }
  }
  static constexpr int64_t kCount = 64;
  std::array<double, kCount> quantile;
  std::array<double, kCount> weight;
};

double concrete_mean(double log_alpha) {
  static const LogisticNodes nodes;
  double sum = 0.0;
  for (size_t i = 0; i < nodes.weight.size(); ++i) {
    sum += nodes.weight[i] * vec::sigmoid((nodes.quantile[i] + log_alpha) / kConcreteTemperature);
  }
  return sum;
}

// lgamma, but without its global sign.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double kuma_mean(double a, double b) {
  const double c = 1.0 + 1.0 / a;
  return std::exp(std::log(b) + log_gamma(c) + log_gamma(b) - log_gamma(c + b));
}

struct Cpu {
  template <typename T>
  HARDKUMA_INLINE static T exp(T x) {
    return vec::exp(x);
  }
  template <typename T>
  HARDKUMA_INLINE static T log(T x) {
    return vec::log(x);
  }
  template <typename T>
  HARDKUMA_INLINE static T log1p(T x) {
    return vec::log1p(x);
  }
  template <typename T>
  HARDKUMA_INLINE static T expm1(T x) {
    return vec::expm1(x);
  }
  template <typename T>
  HARDKUMA_INLINE static T sigmoid(T x) {
    return vec::sigmoid(x);
  }
  template <typename T>
  HARDKUMA_INLINE static T log1mexp(T y) {
    return vec::log1mexp(y);
  }
  template <typename T>
  HARDKUMA_INLINE static T slope(T, T value) {
    return value;
  }
};

template <typename T>
formulas::GateConstants<T> constants_of(const ShapeBounds& bounds) {
  return formulas::gate_constants<T>(
      bounds, [](double x) { return std::log(x); }, [](double p) { return logit(p); });
}

template <typename T>
HARDKUMA_INLINE void draw_hard_kuma(const ShapeBounds& bounds, const GateRows<T>& rows) {
  const formulas::GateConstants<T> constants = constants_of<T>(bounds);
  T raw_a[kChunk];
  T raw_b[kChunk];
  for (int64_t from = 0; from < rows.n; from += kChunk) {
    const int64_t count = std::min(kChunk, rows.n - from);
    side_by_side(rows, from, count, raw_a, raw_b);
    const T* __restrict__ u = rows.u + from;
    T* __restrict__ z = rows.z + from;
    T* __restrict__ p_zero = rows.p_zero + from;
    T* __restrict__ p_nonzero = rows.p_nonzero + from;
    T* __restrict__ dz_a = rows.dz[0] + from;
    T* __restrict__ dz_b = rows.dz[1] + from;
    T* __restrict__ dp_a = rows.dp[0] + from;
    T* __restrict__ dp_b = rows.dp[1] + from;
    HARDKUMA_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
      const auto gate = formulas::draw_hard_kuma<Cpu>(constants, raw_a[i], raw_b[i], u[i]);
      z[i] = gate.z;
      p_zero[i] = gate.p_zero;
      p_nonzero[i] = gate.p_nonzero;
      dz_a[i] = gate.dz[0];
      dz_b[i] = gate.dz[1];
      dp_a[i] = gate.dp[0];
      dp_b[i] = gate.dp[1];
    }
  }
}

template <typename T>
void draw_bernoulli(const GateRows<T>& rows) {
  for (int64_t i = 0; i < rows.n; ++i) {
    const auto gate = formulas::draw_bernoulli<Cpu>(rows.raw[i * rows.ld_raw], rows.u[i]);
    rows.p_nonzero[i] = gate.p_nonzero;
    rows.p_zero[i] = gate.p_zero;
    rows.z[i] = gate.z;
    rows.dz[0][i] = gate.dz[0];
    rows.dp[0][i] = gate.dp[0];
  }
}

template <typename T>
HARDKUMA_INLINE void draw_hard_concrete(const GateRows<T>& rows) {
  const formulas::GateConstants<T> constants = constants_of<T>({});
  T raw[kChunk];
  for (int64_t from = 0; from < rows.n; from += kChunk) {
    const int64_t count = std::min(kChunk, rows.n - from);
    for (int64_t i = 0; i < count; ++i) raw[i] = rows.raw[(from + i) * rows.ld_raw];
    const T* __restrict__ u = rows.u + from;
    T* __restrict__ z = rows.z + from;
    T* __restrict__ p_zero = rows.p_zero + from;
    T* __restrict__ p_nonzero = rows.p_nonzero + from;
    T* __restrict__ dz = rows.dz[0] + from;
    T* __restrict__ dp = rows.dp[0] + from;
    HARDKUMA_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
      const auto gate = formulas::draw_hard_concrete<Cpu>(constants, raw[i], u[i]);
      z[i] = gate.z;
      p_zero[i] = gate.p_zero;
      p_nonzero[i] = gate.p_nonzero;
      dz[i] = gate.dz[0];
      dp[i] = gate.dp[0];
    }
  }
}

template <typename T>
void decide_hard_concrete(Decision decision, const GateRows<T>& rows) {
  const formulas::GateConstants<T> constants = constants_of<T>({});
  for (int64_t i = 0; i < rows.n; ++i) {
    const T raw = rows.raw[i * rows.ld_raw];
    const auto p = formulas::hard_concrete_probabilities<Cpu>(constants, raw);
    rows.p_zero[i] = p.p_zero;
    rows.p_nonzero[i] = p.p_nonzero;
    rows.z[i] =
        formulas::decided(decision, p, [&] { return concrete_mean(static_cast<double>(raw)); });
  }
}

template <typename T>
HARDKUMA_INLINE void decide_hard_kuma(const ShapeBounds& bounds, Decision decision,
                                      const GateRows<T>& rows) {
  const formulas::GateConstants<T> constants = constants_of<T>(bounds);
  T raw_a[kChunk];
  T raw_b[kChunk];
  T a[kChunk];
  T b[kChunk];
  T p_one[kChunk];
  for (int64_t from = 0; from < rows.n; from += kChunk) {
    const int64_t count = std::min(kChunk, rows.n - from);
    side_by_side(rows, from, count, raw_a, raw_b);
    T* __restrict__ p_zero = rows.p_zero + from;
    T* __restrict__ p_nonzero = rows.p_nonzero + from;
    HARDKUMA_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
      a[i] = formulas::shape_of<Cpu>(raw_a[i], constants.min, constants.max).value;
      b[i] = formulas::shape_of<Cpu>(raw_b[i], constants.min, constants.max).value;
      const auto p = formulas::hard_kuma_probabilities<Cpu>(constants, a[i], b[i]);
      p_zero[i] = p.p_zero;
      p_nonzero[i] = p.p_nonzero;
      p_one[i] = p.p_one;
    }
    for (int64_t i = 0; i < count; ++i) {
      rows.z[from + i] = formulas::decided<T>(decision, {p_zero[i], p_nonzero[i], p_one[i]},
                                              [&] { return kuma_mean(a[i], b[i]); });
    }
  }
}

template <typename T>
void decide_bernoulli(const GateRows<T>& rows) {
  for (int64_t i = 0; i < rows.n; ++i) {
    const T raw = rows.raw[i * rows.ld_raw];
    const auto p = formulas::bernoulli_probabilities<Cpu>(raw);
    rows.z[i] = raw >= T(0) ? T(1) : T(0);
    rows.p_zero[i] = p.p_zero;
    rows.p_nonzero[i] = p.p_nonzero;
  }
}

HARDKUMA_CLONES void draw_hard_kuma_rows(const ShapeBounds& bounds, const GateRows<float>& rows) {
  draw_hard_kuma(bounds, rows);
}

HARDKUMA_CLONES void draw_hard_kuma_rows(const ShapeBounds& bounds, const GateRows<double>& rows) {
  draw_hard_kuma(bounds, rows);
}

HARDKUMA_CLONES void decide_hard_kuma_rows(const ShapeBounds& bounds, Decision decision,
                                           const GateRows<float>& rows) {
  decide_hard_kuma(bounds, decision, rows);
}

HARDKUMA_CLONES void decide_hard_kuma_rows(const ShapeBounds& bounds, Decision decision,
                                           const GateRows<double>& rows) {
  decide_hard_kuma(bounds, decision, rows);
}

HARDKUMA_CLONES void draw_hard_concrete_rows(const GateRows<float>& rows) {
  draw_hard_concrete(rows);
}

HARDKUMA_CLONES void draw_hard_concrete_rows(const GateRows<double>& rows) {
  draw_hard_concrete(rows);
}

template <typename T>
void draw(GateKind kind, const ShapeBounds& bounds, const GateRows<T>& rows) {
  if (kind == GateKind::HardKuma) return draw_hard_kuma_rows(bounds, rows);
  if (kind == GateKind::HardConcrete) return draw_hard_concrete_rows(rows);
  draw_bernoulli(rows);
}

template <typename T>
void decide(GateKind kind, const ShapeBounds& bounds, Decision decision, const GateRows<T>& rows) {
  if (kind == GateKind::HardKuma) return decide_hard_kuma_rows(bounds, decision, rows);
  if (kind == GateKind::HardConcrete) return decide_hard_concrete(decision, rows);
  decide_bernoulli(rows);
}

}  // namespace

void draw_gate_rows(GateKind kind, const ShapeBounds& bounds, const GateRows<float>& rows) {
  draw(kind, bounds, rows);
}

void draw_gate_rows(GateKind kind, const ShapeBounds& bounds, const GateRows<double>& rows) {
  draw(kind, bounds, rows);
}

void decide_gate_rows(GateKind kind, const ShapeBounds& bounds, Decision decision,
                      const GateRows<float>& rows) {
  decide(kind, bounds, decision, rows);
}

void decide_gate_rows(GateKind kind, const ShapeBounds& bounds, Decision decision,
                      const GateRows<double>& rows) {
  decide(kind, bounds, decision, rows);
}

std::unique_ptr<GateDistribution> gate_distribution(GateKind kind, const ShapeBounds& bounds,
                                                    const at::Tensor& raw) {
  if (kind == GateKind::Bernoulli) return std::make_unique<Bernoulli>(raw.select(1, 0));
  if (kind == GateKind::HardConcrete) return std::make_unique<HardConcrete>(raw.select(1, 0));
  const at::Tensor ab = at::clamp(at::softplus(raw), bounds.min, bounds.max);
  return std::make_unique<HardKuma>(ab.select(1, 0), ab.select(1, 1), bounds.support);
}

namespace {

// The raw value that gives a logit of P(z ≠ 0), for gates with one raw value.
double raw_of(GateKind kind, double logit_nonzero) {
  const double shift = kConcreteTemperature * logit(Support().zero());
  return kind == GateKind::HardConcrete ? logit_nonzero + shift : logit_nonzero;
}

}  // namespace

std::array<double, 2> open_biases(GateKind kind, bool dependent) {
  if (kind != GateKind::HardKuma) return {raw_of(kind, logit(dependent ? 0.87 : 0.98)), 0.0};
  if (dependent) return {0.0, 0.0};
  return {0.541, -1.5};  // a = 1, b = 0.2
}

std::vector<double> bounds_range(GateKind kind) {
  if (kind == GateKind::HardKuma) return {-3.0, 1.0, -4.0, 4.0};
  return {raw_of(kind, -6.0), raw_of(kind, 5.0)};
}

}  // namespace hardkuma
