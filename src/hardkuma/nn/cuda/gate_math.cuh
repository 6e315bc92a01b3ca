#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "hardkuma/nn/gate_kernels.h"

// One gate at a time: the arithmetic of gate_kernels.cpp.
namespace hardkuma::cuda {

template <typename T>
struct GateConstants {
  GateKind kind;
  Decision decision;
  T l, width;
  T neg_log_zero, neg_log_one;  // HardKuma
  T min, max;
  T temperature, zero, one;  // Hard Concrete: log alpha where P(z = 0), P(z = 1) is a half
};

template <typename T>
GateConstants<T> gate_constants(GateKind kind, const ShapeBounds& bounds, Decision decision) {
  const Support& support = bounds.support;
  const auto logit = [](double p) { return std::log(p) - std::log1p(-p); };
  return {kind,
          decision,
          static_cast<T>(support.l),
          static_cast<T>(support.width()),
          static_cast<T>(-std::log(support.zero())),
          static_cast<T>(-std::log(support.one())),
          static_cast<T>(bounds.min),
          static_cast<T>(bounds.max),
          static_cast<T>(kConcreteTemperature),
          static_cast<T>(kConcreteTemperature * logit(support.zero())),
          static_cast<T>(kConcreteTemperature * logit(support.one()))};
}

template <typename T>
struct DrawnGate {
  T z, p_zero, p_nonzero;
  T dz[2], dp[2];
};

template <typename T>
struct DecidedGate {
  T z, p_zero, p_nonzero;
};

__device__ inline float exp_of(float x) {
  return expf(x);
}
__device__ inline double exp_of(double x) {
  return exp(x);
}
__device__ inline float log_of(float x) {
  return logf(x);
}
__device__ inline double log_of(double x) {
  return log(x);
}
__device__ inline float log1p_of(float x) {
  return log1pf(x);
}
__device__ inline double log1p_of(double x) {
  return log1p(x);
}
__device__ inline float expm1_of(float x) {
  return expm1f(x);
}
__device__ inline double expm1_of(double x) {
  return expm1(x);
}
__device__ inline float tanh_of(float x) {
  return tanhf(x);
}
__device__ inline double tanh_of(double x) {
  return tanh(x);
}

template <typename T>
__device__ T sigmoid_of(T x) {
  const T e = exp_of(x < T(0) ? x : -x);
  return (x < T(0) ? e : T(1)) / (T(1) + e);
}

// log(1 - e^-y), y > 0.
template <typename T>
__device__ T log1mexp_of(T y) {
  return y < T(0.6931471805599453) ? log_of(-expm1_of(-y)) : log1p_of(-exp_of(-y));
}

template <typename T>
struct GateShape {
  T value, slope;
};

template <typename T>
__device__ GateShape<T> shape_of(T raw, T min, T max) {
  const T e = exp_of(raw < T(0) ? raw : -raw);
  const T softplus = log1p_of(e) + (raw > T(0) ? raw : T(0));
  const T sigmoid = (raw < T(0) ? e : T(1)) / (T(1) + e);
  const bool inside = softplus >= min && softplus <= max;
  return {softplus < min ? min : softplus > max ? max : softplus, inside ? sigmoid : T(0)};
}

template <typename T>
__device__ DrawnGate<T> draw_hard_kuma(const GateConstants<T>& c, T raw_a, T raw_b, T u) {
  DrawnGate<T> out;
  const GateShape<T> a = shape_of(raw_a, c.min, c.max);
  const GateShape<T> b = shape_of(raw_b, c.min, c.max);
  const T y = -log1p_of(-u) / b.value;
  const T log_q = log1mexp_of(y);
  const T k = exp_of(log_q / a.value);
  const T t = c.l + c.width * k;
  const T inside = t > T(0) && t < T(1) ? c.width * k / a.value : T(0);
  out.z = t < T(0) ? T(0) : t > T(1) ? T(1) : t;
  out.dz[0] = inside == T(0) ? T(0) : -inside * log_q / a.value * a.slope;
  out.dz[1] = inside == T(0) ? T(0) : -inside * (y / expm1_of(y)) / b.value * b.slope;
  const T y0 = c.neg_log_zero * a.value;
  const T log_survival = log1mexp_of(y0);
  const T survival = exp_of(b.value * log_survival);
  out.p_nonzero = survival;
  out.p_zero = -expm1_of(b.value * log_survival);
  out.dp[0] = survival * b.value * c.neg_log_zero / expm1_of(y0) * a.slope;
  out.dp[1] = survival * log_survival * b.slope;
  return out;
}

template <typename T>
__device__ DrawnGate<T> draw_gate(const GateConstants<T>& c, const T* raw, T u) {
  if (c.kind == GateKind::HardKuma) return draw_hard_kuma(c, raw[0], raw[1], u);
  DrawnGate<T> out;
  out.dz[1] = out.dp[1] = T(0);
  if (c.kind == GateKind::Bernoulli) {
    const T p = sigmoid_of(raw[0]);
    const T q = sigmoid_of(-raw[0]);
    out.z = u > q ? T(1) : T(0);
    out.p_nonzero = p;
    out.p_zero = q;
    out.dz[0] = T(0);
    out.dp[0] = p * q;
    return out;
  }
  const T x = (log_of(u) - log1p_of(-u) + raw[0]) / c.temperature;
  const T s = sigmoid_of(x);
  const T t = c.l + c.width * s;
  out.z = t < T(0) ? T(0) : t > T(1) ? T(1) : t;
  out.dz[0] = t > T(0) && t < T(1) ? c.width * s * sigmoid_of(-x) / c.temperature : T(0);
  out.p_nonzero = sigmoid_of(raw[0] - c.zero);
  out.p_zero = sigmoid_of(c.zero - raw[0]);
  out.dp[0] = out.p_nonzero * out.p_zero;
  return out;
}

// Gauss-Legendre nodes and weights on (0, 1), by the compiler.
struct UnitNodes {
  static constexpr int kCount = 64;
  double place[kCount];
  double weight[kCount];

  static constexpr double cosine(double x) {
    double term = 1.0, sum = 1.0;
    for (int i = 1; i < 40; ++i) {
      term *= -x * x / ((2.0 * i - 1.0) * (2.0 * i));
      sum += term;
    }
    return sum;
  }

  constexpr UnitNodes() : place(), weight() {
    for (int i = 0; i < kCount; ++i) {
      double x = cosine(3.14159265358979323846 * (i + 0.75) / (kCount + 0.5));
      double slope = 0.0;
      for (int turn = 0; turn < 8; ++turn) {
        double before = 1.0, here = x;
        for (int k = 2; k <= kCount; ++k) {
          const double next = ((2.0 * k - 1.0) * x * here - (k - 1.0) * before) / k;
          before = here;
          here = next;
        }
        slope = kCount * (x * here - before) / (x * x - 1.0);
        x -= here / slope;
      }
      place[i] = 0.5 * (1.0 + x);
      weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
  }
};

static __constant__ UnitNodes kUnitNodes = UnitNodes();

__device__ inline double concrete_mean(double log_alpha) {
  double sum = 0.0;
  for (int i = 0; i < UnitNodes::kCount; ++i) {
    const double p = kUnitNodes.place[i];
    sum +=
        kUnitNodes.weight[i] * sigmoid_of((log(p) - log1p(-p) + log_alpha) / kConcreteTemperature);
  }
  return sum;
}

__device__ inline double kuma_mean(double a, double b) {
  const double c = 1.0 + 1.0 / a;
  return exp(log(b) + lgamma(c) + lgamma(b) - lgamma(c + b));
}

template <typename T>
__device__ DecidedGate<T> decide_gate(const GateConstants<T>& c, const T* raw) {
  DecidedGate<T> out;
  if (c.kind == GateKind::Bernoulli) {
    out.z = raw[0] >= T(0) ? T(1) : T(0);
    out.p_zero = sigmoid_of(-raw[0]);
    out.p_nonzero = sigmoid_of(raw[0]);
    return out;
  }
  T p_one, a = T(0), b = T(0);
  if (c.kind == GateKind::HardKuma) {
    a = shape_of(raw[0], c.min, c.max).value;
    b = shape_of(raw[1], c.min, c.max).value;
    const T log_survival = b * log1mexp_of(c.neg_log_zero * a);
    out.p_zero = -expm1_of(log_survival);
    out.p_nonzero = exp_of(log_survival);
    p_one = exp_of(b * log1mexp_of(c.neg_log_one * a));
  } else {
    out.p_zero = sigmoid_of(c.zero - raw[0]);
    out.p_nonzero = sigmoid_of(raw[0] - c.zero);
    p_one = sigmoid_of(raw[0] - c.one);
  }
  const T between = out.p_nonzero - p_one;
  if (between < out.p_zero || between < p_one) {
    out.z = out.p_zero > p_one ? T(0) : T(1);
  } else if (c.decision == Decision::Binary) {
    out.z = T(1);
  } else {
    out.z = static_cast<T>(c.kind == GateKind::HardKuma ? kuma_mean(a, b) : concrete_mean(raw[0]));
  }
  return out;
}

}  // namespace hardkuma::cuda
