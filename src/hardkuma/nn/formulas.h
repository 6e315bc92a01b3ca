#pragma once

#include <cstdint>

#include "hardkuma/nn/gate_kinds.h"

// For the CUDA compiler, a device function; for others, a function inlined into vectorised loops.
#ifdef __CUDACC__
#define HARDKUMA_FORMULA __device__ __forceinline__
#else
#define HARDKUMA_FORMULA [[gnu::always_inline]] inline
#endif

/// The arithmetic of one gate, and of one unit of a cell, shared by loops on the CPU and kernels on
/// a GPU. `M` has the processor's functions: exp, log, log1p, expm1, tanh, sigmoid, log1mexp; the
/// means kuma_mean(a, b) and concrete_mean(log_alpha), used only by decide(); and slope(inside,
/// value), which returns the value, or 0 if the value may be NaN because `inside` is 0.
namespace hardkuma::formulas {

/// Constants of a gate's formulas.
template <typename T>
struct GateConstants {
  T l, width;                   ///< of the support
  T neg_log_zero, neg_log_one;  ///< HardKuma: -log of where 0 and 1 lie in the unit interval
  T min, max;                   ///< bounds of its shapes
  T temperature, zero, one;     ///< Hard Concrete: log alpha where P(z = 0), P(z = 1) is a half
};

template <typename T, typename Log, typename Logit>
GateConstants<T> gate_constants(const ShapeBounds& bounds, const Log& log, const Logit& logit) {
  const Support& support = bounds.support;
  const Support published;  // the Hard Concrete's is fixed
  return {static_cast<T>(support.l),
          static_cast<T>(support.width()),
          static_cast<T>(-log(support.zero())),
          static_cast<T>(-log(support.one())),
          static_cast<T>(bounds.min),
          static_cast<T>(bounds.max),
          static_cast<T>(kConcreteTemperature),
          static_cast<T>(kConcreteTemperature * logit(published.zero())),
          static_cast<T>(kConcreteTemperature * logit(published.one()))};
}

/// A sampled gate. The derivatives of z by the raw values are 0 where z is 0 or 1.
template <typename T>
struct DrawnGate {
  T z, p_zero, p_nonzero;
  T dz[2], dp[2];
};

template <typename T>
struct GateProbabilities {
  T p_zero, p_nonzero, p_one;
};

template <typename T>
struct Shape {
  T value;
  T slope;  ///< derivative by the raw value
};

/// softplus(raw) within its bounds.
template <typename M, typename T>
HARDKUMA_FORMULA Shape<T> shape_of(T raw, T min, T max) {
  const T e = M::exp(raw < T(0) ? raw : -raw);  // exp(-|raw|)
  const T softplus = M::log1p(e) + (raw > T(0) ? raw : T(0));
  const T sigmoid = (raw < T(0) ? e : T(1)) / (T(1) + e);
  const bool inside = softplus >= min && softplus <= max;
  const T clamped = softplus < min ? min : softplus > max ? max : softplus;
  return {clamped, inside ? sigmoid : T(0)};
}

/// z = clamp(l + (r - l) k), k = q^(1/a), q = 1 - (1 - u)^(1/b), all in logarithms.
template <typename M, typename T>
HARDKUMA_FORMULA DrawnGate<T> draw_hard_kuma(const GateConstants<T>& c, T raw_a, T raw_b, T u) {
  DrawnGate<T> out;
  const Shape<T> a = shape_of<M>(raw_a, c.min, c.max);
  const Shape<T> b = shape_of<M>(raw_b, c.min, c.max);
  const T y = -M::log1p(-u) / b.value;
  const T log_q = M::log1mexp(y);
  const T k = M::exp(log_q / a.value);
  const T t = c.l + c.width * k;
  const T inside = t > T(0) && t < T(1) ? c.width * k / a.value : T(0);
  out.z = t < T(0) ? T(0) : t > T(1) ? T(1) : t;
  out.dz[0] = M::slope(inside, -inside * log_q / a.value * a.slope);
  out.dz[1] = M::slope(inside, -inside * (y / M::expm1(y)) / b.value * b.slope);
  const T y0 = c.neg_log_zero * a.value;
  const T log_survival = M::log1mexp(y0);
  const T survival = M::exp(b.value * log_survival);
  out.p_nonzero = survival;
  out.p_zero = -M::expm1(b.value * log_survival);
  out.dp[0] = survival * b.value * c.neg_log_zero / M::expm1(y0) * a.slope;
  out.dp[1] = survival * log_survival * b.slope;
  return out;
}

template <typename M, typename T>
HARDKUMA_FORMULA DrawnGate<T> draw_bernoulli(T raw, T u) {
  const T p = M::sigmoid(raw);
  const T q = M::sigmoid(-raw);
  return {u > q ? T(1) : T(0), q, p, {T(0), T(0)}, {p * q, T(0)}};
}

/// z = clamp(l + (r - l) s), s = sigmoid((logit(u) + log alpha) / temperature).
template <typename M, typename T>
HARDKUMA_FORMULA DrawnGate<T> draw_hard_concrete(const GateConstants<T>& c, T raw, T u) {
  const T x = (M::log(u) - M::log1p(-u) + raw) / c.temperature;
  const T s = M::sigmoid(x);
  const T t = c.l + c.width * s;
  const T slope = t > T(0) && t < T(1) ? c.width * s * M::sigmoid(-x) / c.temperature : T(0);
  const T nonzero = M::sigmoid(raw - c.zero);
  const T zero = M::sigmoid(c.zero - raw);
  return {t < T(0)   ? T(0)
          : t > T(1) ? T(1)
                     : t,
          zero,
          nonzero,
          {slope, T(0)},
          {nonzero * zero, T(0)}};
}

template <typename M, typename T>
HARDKUMA_FORMULA GateProbabilities<T> hard_kuma_probabilities(const GateConstants<T>& c, T a, T b) {
  const T log_survival = b * M::log1mexp(c.neg_log_zero * a);
  return {-M::expm1(log_survival), M::exp(log_survival),
          M::exp(b * M::log1mexp(c.neg_log_one * a))};
}

template <typename M, typename T>
HARDKUMA_FORMULA GateProbabilities<T> hard_concrete_probabilities(const GateConstants<T>& c,
                                                                  T raw) {
  return {M::sigmoid(c.zero - raw), M::sigmoid(raw - c.zero), M::sigmoid(raw - c.one)};
}

template <typename M, typename T>
HARDKUMA_FORMULA GateProbabilities<T> bernoulli_probabilities(T raw) {
  return {M::sigmoid(-raw), M::sigmoid(raw), M::sigmoid(raw)};
}

/// Samples a gate of any kind, for code that takes gates one at a time.
template <typename M, typename T>
HARDKUMA_FORMULA DrawnGate<T> draw(GateKind kind, const GateConstants<T>& c, const T* raw, T u) {
  if (kind == GateKind::HardKuma) return draw_hard_kuma<M>(c, raw[0], raw[1], u);
  if (kind == GateKind::Bernoulli) return draw_bernoulli<M>(raw[0], u);
  return draw_hard_concrete<M>(c, raw[0], u);
}

/// The likeliest of 0, 1 and in between, which gives the mean, or 1 for Decision::Binary.
template <typename T, typename Mean>
HARDKUMA_FORMULA T decided(Decision decision, const GateProbabilities<T>& p, const Mean& mean) {
  const T between = p.p_nonzero - p.p_one;
  if (between < p.p_zero || between < p.p_one) return p.p_zero > p.p_one ? T(0) : T(1);
  return decision == Decision::Binary ? T(1) : static_cast<T>(mean());
}

/// A gate of any kind at prediction: z, and the probabilities it is decided by.
template <typename T>
struct DecidedGate {
  T z, p_zero, p_nonzero;
};

template <typename M, typename T>
HARDKUMA_FORMULA DecidedGate<T> decide(GateKind kind, Decision decision, const GateConstants<T>& c,
                                       const T* raw) {
  if (kind == GateKind::Bernoulli) {
    const GateProbabilities<T> p = bernoulli_probabilities<M>(raw[0]);
    return {raw[0] >= T(0) ? T(1) : T(0), p.p_zero, p.p_nonzero};
  }
  if (kind == GateKind::HardConcrete) {
    const GateProbabilities<T> p = hard_concrete_probabilities<M>(c, raw[0]);
    const T z = decided(decision, p, [&] { return M::concrete_mean(raw[0]); });
    return {z, p.p_zero, p.p_nonzero};
  }
  const T a = shape_of<M>(raw[0], c.min, c.max).value;
  const T b = shape_of<M>(raw[1], c.min, c.max).value;
  const GateProbabilities<T> p = hard_kuma_probabilities<M>(c, a, b);
  const T z = decided(decision, p, [&] { return M::kuma_mean(a, b); });
  return {z, p.p_zero, p.p_nonzero};
}

// One unit of an LSTM, with gates after activation.

/// `before`, the previous state, is not read in the first step.
template <bool kHasPrevious, typename T>
HARDKUMA_FORMULA T lstm_state(const T& i, const T& f, const T& g, const T& before) {
  return i * g + (kHasPrevious ? f * before : T(0));
}

template <typename M, typename T>
HARDKUMA_FORMULA T lstm_hidden(T o, T state) {
  return o * M::tanh(state);
}

template <typename T>
struct LstmGradients {
  T i, f, g, o;
  T before;  ///< of the previous step's state
};

/// `later`: the state's gradient from the next step; `dh`: the hidden state's gradient.
template <typename M, typename T>
HARDKUMA_FORMULA LstmGradients<T> lstm_backward(T i, T f, T g, T o, T state, T before, T later,
                                                T dh) {
  const T tanh_c = M::tanh(state);
  const T dcell = later + dh * o * (T(1) - tanh_c * tanh_c);
  return {dcell * g * i * (T(1) - i), dcell * before * f * (T(1) - f), dcell * i * (T(1) - g * g),
          dh * tanh_c * o * (T(1) - o), dcell * f};
}

// One unit of an RCNN: gate λ, inputs x1 and x2, averages c1 and c2.

template <typename T>
struct RcnnState {
  T c1, c2;
};

template <typename T>
HARDKUMA_FORMULA RcnnState<T> rcnn_state(T keep, T x1, T x2, T before1, T before2) {
  return {keep * before1 + (T(1) - keep) * x1, keep * before2 + (T(1) - keep) * (before1 + x2)};
}

template <typename T>
struct RcnnGradients {
  T keep, x1, x2;
  T out_bias;
  T before1, before2;
};

/// A state that moves by z from the one before towards the cell's: exact at 0 and at 1.
template <typename T>
HARDKUMA_FORMULA T faded(T z, T before, T cell) {
  return (T(1) - z) * before + z * cell;
}

/// With c = λ p + (1-λ) x the gate's gradient needs no x: (p - x) λ (1-λ) = λ (p - c).
template <typename T>
HARDKUMA_FORMULA RcnnGradients<T> rcnn_backward(T keep, const RcnnState<T>& c,
                                                const RcnnState<T>& before, T hidden,
                                                const RcnnState<T>& later, T dh) {
  const T share = T(1) - keep;
  const T dsum = dh * (T(1) - hidden * hidden);
  const T dc2 = later.c2 + dsum;
  const T dc1 = later.c1;
  return {keep * (dc1 * (before.c1 - c.c1) + dc2 * (before.c2 - c.c2)),
          dc1 * share,
          dc2 * share,
          dsum,
          dc1 * keep + dc2 * share,
          dc2 * keep};
}

}  // namespace hardkuma::formulas
