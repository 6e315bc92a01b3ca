#include "hardkuma/nn/gate_kernels.h"

#include <algorithm>
#include <array>

#include "hardkuma/dist/hard_concrete.h"
#include "hardkuma/dist/stable.h"
#include "hardkuma/nn/vector_math.h"

namespace hardkuma {
namespace {

constexpr int64_t kChunk = 128;  // gates at a time, so that raw values lie side by side

template <typename T>
struct Shape {
  T value;
  T slope;  // by the raw value
};

template <typename T>
HARDKUMA_INLINE Shape<T> shape_of(T raw, T min, T max) {
  const T e = vec::exp(raw < T(0) ? raw : -raw);  // exp(-|raw|)
  const T softplus = vec::log1p(e) + (raw > T(0) ? raw : T(0));
  const T sigmoid = (raw < T(0) ? e : T(1)) / (T(1) + e);
  const bool inside = softplus >= min && softplus <= max;
  const T clamped = softplus < min ? min : softplus > max ? max : softplus;
  return {clamped, inside ? sigmoid : T(0)};
}

// The likeliest of nothing, everything and in between, where it is the mean.
template <typename T, typename Mean>
HARDKUMA_INLINE T decided(Decision decision, T p_zero, T p_nonzero, T p_one, const Mean& mean) {
  const T between = p_nonzero - p_one;
  if (between < p_zero || between < p_one) return p_zero > p_one ? T(0) : T(1);
  return decision == Decision::Binary ? T(1) : static_cast<T>(mean());
}

// The raw values of `count` gates, each kind in an array of its own.
template <typename T>
HARDKUMA_INLINE void side_by_side(const GateRows<T>& rows, int64_t from, int64_t count, T* raw_a,
                                  T* raw_b) {
  for (int64_t i = 0; i < count; ++i) {
    raw_a[i] = rows.raw[(from + i) * rows.ld_raw];
    raw_b[i] = rows.raw[(from + i) * rows.ld_raw + 1];
  }
}

// z = clamp(l + (r - l) k), k = q^(1/a), q = 1 - (1 - u)^(1/b), all in logarithms.
template <typename T>
HARDKUMA_INLINE void draw_hard_kuma(const ShapeBounds& bounds, const GateRows<T>& rows) {
  const Support& support = bounds.support;
  const T l = static_cast<T>(support.l);
  const T width = static_cast<T>(support.width());
  const T neg_log_zero = static_cast<T>(-std::log(support.zero()));
  const T min = static_cast<T>(bounds.min);
  const T max = static_cast<T>(bounds.max);
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
      const Shape<T> a = shape_of(raw_a[i], min, max);
      const Shape<T> b = shape_of(raw_b[i], min, max);
      const T y = -vec::log1p(-u[i]) / b.value;
      const T log_q = vec::log1mexp(y);
      const T k = vec::exp(log_q / a.value);
      const T t = l + width * k;
      const T inside = t > T(0) && t < T(1) ? width * k / a.value : T(0);
      z[i] = t < T(0) ? T(0) : t > T(1) ? T(1) : t;
      dz_a[i] = -inside * log_q / a.value * a.slope;
      dz_b[i] = -inside * (y / vec::expm1(y)) / b.value * b.slope;
      const T y0 = neg_log_zero * a.value;
      const T log_survival = vec::log1mexp(y0);
      const T survival = vec::exp(b.value * log_survival);
      p_nonzero[i] = survival;
      p_zero[i] = -vec::expm1(b.value * log_survival);
      dp_a[i] = survival * b.value * neg_log_zero / vec::expm1(y0) * a.slope;
      dp_b[i] = survival * log_survival * b.slope;
    }
  }
}

template <typename T>
void draw_bernoulli(const GateRows<T>& rows) {
  for (int64_t i = 0; i < rows.n; ++i) {
    const T logit = rows.raw[i * rows.ld_raw];
    const T p = vec::sigmoid(logit);
    const T q = vec::sigmoid(-logit);
    rows.p_nonzero[i] = p;
    rows.p_zero[i] = q;
    rows.z[i] = rows.u[i] > q ? T(1) : T(0);
    rows.dz[0][i] = T(0);
    rows.dp[0][i] = p * q;
  }
}

// z = clamp(l + (r - l) s), s = sigmoid((logit(u) + log alpha) / temperature).
template <typename T>
HARDKUMA_INLINE void draw_hard_concrete(const GateRows<T>& rows) {
  const Support support;
  const T l = static_cast<T>(support.l);
  const T width = static_cast<T>(support.width());
  const T temperature = static_cast<T>(kConcreteTemperature);
  const T shift = static_cast<T>(kConcreteTemperature * logit(support.zero()));
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
      const T x = (vec::log(u[i]) - vec::log1p(-u[i]) + raw[i]) / temperature;
      const T s = vec::sigmoid(x);
      const T t = l + width * s;
      z[i] = t < T(0) ? T(0) : t > T(1) ? T(1) : t;
      dz[i] = t > T(0) && t < T(1) ? width * s * vec::sigmoid(-x) / temperature : T(0);
      p_nonzero[i] = vec::sigmoid(raw[i] - shift);
      p_zero[i] = vec::sigmoid(shift - raw[i]);
      dp[i] = p_nonzero[i] * p_zero[i];
    }
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

template <typename T>
void decide_hard_concrete(Decision decision, const GateRows<T>& rows) {
  const Support support;
  const T zero = static_cast<T>(kConcreteTemperature * logit(support.zero()));
  const T one = static_cast<T>(kConcreteTemperature * logit(support.one()));
  for (int64_t i = 0; i < rows.n; ++i) {
    const T raw = rows.raw[i * rows.ld_raw];
    rows.p_zero[i] = vec::sigmoid(zero - raw);
    rows.p_nonzero[i] = vec::sigmoid(raw - zero);
    rows.z[i] = decided<T>(decision, rows.p_zero[i], rows.p_nonzero[i], vec::sigmoid(raw - one),
                           [&] { return concrete_mean(static_cast<double>(raw)); });
  }
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

template <typename T>
HARDKUMA_INLINE void decide_hard_kuma(const ShapeBounds& bounds, Decision decision,
                                      const GateRows<T>& rows) {
  const Support& support = bounds.support;
  const T neg_log_zero = static_cast<T>(-std::log(support.zero()));
  const T neg_log_one = static_cast<T>(-std::log(support.one()));
  const T min = static_cast<T>(bounds.min);
  const T max = static_cast<T>(bounds.max);
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
      a[i] = shape_of(raw_a[i], min, max).value;
      b[i] = shape_of(raw_b[i], min, max).value;
      const T log_survival = b[i] * vec::log1mexp(neg_log_zero * a[i]);
      p_zero[i] = -vec::expm1(log_survival);
      p_nonzero[i] = vec::exp(log_survival);
      p_one[i] = vec::exp(b[i] * vec::log1mexp(neg_log_one * a[i]));
    }
    for (int64_t i = 0; i < count; ++i) {
      rows.z[from + i] = decided(decision, p_zero[i], p_nonzero[i], p_one[i],
                                 [&] { return kuma_mean(a[i], b[i]); });
    }
  }
}

template <typename T>
void decide_bernoulli(const GateRows<T>& rows) {
  for (int64_t i = 0; i < rows.n; ++i) {
    const T logit = rows.raw[i * rows.ld_raw];
    rows.z[i] = logit >= T(0) ? T(1) : T(0);
    rows.p_zero[i] = vec::sigmoid(-logit);
    rows.p_nonzero[i] = vec::sigmoid(logit);
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

}  // namespace hardkuma
