#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "hardkuma/nn/formulas.h"

// The formulas of gates with a GPU's functions, one gate at a time.
namespace hardkuma::cuda {

// Gauss-Legendre nodes and weights on (0, 1), computed at compile time.
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

struct Gpu {
  __device__ static float exp(float x) { return expf(x); }
  __device__ static double exp(double x) { return ::exp(x); }
  __device__ static float log(float x) { return logf(x); }
  __device__ static double log(double x) { return ::log(x); }
  __device__ static float log1p(float x) { return log1pf(x); }
  __device__ static double log1p(double x) { return ::log1p(x); }
  __device__ static float expm1(float x) { return expm1f(x); }
  __device__ static double expm1(double x) { return ::expm1(x); }
  __device__ static float tanh(float x) { return tanhf(x); }
  __device__ static double tanh(double x) { return ::tanh(x); }
  template <typename T>
  __device__ static T sigmoid(T x) {
    const T e = exp(x < T(0) ? x : -x);
    return (x < T(0) ? e : T(1)) / (T(1) + e);
  }
  template <typename T>
  __device__ static T log1mexp(T y) {
    return y < T(0.6931471805599453) ? log(-expm1(-y)) : log1p(-exp(-y));
  }
  template <typename T>
  __device__ static T slope(T inside, T value) {
    return inside == T(0) ? T(0) : value;
  }

  __device__ static double concrete_mean(double log_alpha) {
    double sum = 0.0;
    for (int i = 0; i < UnitNodes::kCount; ++i) {
      const double p = kUnitNodes.place[i];
      sum += kUnitNodes.weight[i] *
             sigmoid((::log(p) - ::log1p(-p) + log_alpha) / kConcreteTemperature);
    }
    return sum;
  }
  __device__ static double kuma_mean(double a, double b) {
    const double c = 1.0 + 1.0 / a;
    return ::exp(::log(b) + lgamma(c) + lgamma(b) - lgamma(c + b));
  }
};

template <typename T>
struct GateSetting {
  GateKind kind;
  Decision decision;
  formulas::GateConstants<T> constants;
};

template <typename T>
GateSetting<T> gate_setting(GateKind kind, const ShapeBounds& bounds, Decision decision) {
  const ShapeBounds published;  // the Hard Concrete's are fixed
  return {
      kind, decision,
      formulas::gate_constants<T>(
          kind == GateKind::HardConcrete ? published : bounds, [](double x) { return std::log(x); },
          [](double p) { return std::log(p) - std::log1p(-p); })};
}

template <typename T>
__device__ formulas::DrawnGate<T> draw_gate(const GateSetting<T>& gate, const T* raw, T u) {
  return formulas::draw<Gpu>(gate.kind, gate.constants, raw, u);
}

template <typename T>
__device__ formulas::DecidedGate<T> decide_gate(const GateSetting<T>& gate, const T* raw) {
  return formulas::decide<Gpu>(gate.kind, gate.decision, gate.constants, raw);
}

}  // namespace hardkuma::cuda
