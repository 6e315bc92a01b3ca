#pragma once

#include "hardkuma/nn/cells.h"
#include "hardkuma/nn/cuda/gate_math.cuh"

// One unit of a cell at a time: the arithmetic of cells.cpp.
namespace hardkuma::cuda {

template <typename T>
struct Lstm {
  static constexpr int G = LstmCell::kGates, R = LstmCell::kRecurrent, C = LstmCell::kCarried,
                       K = LstmCell::kKept;

  // gates in: before activation, out: after. c in: before this step. Returns the hidden state.
  __device__ static T forward(T* gates, T* c, T) {
    gates[0] = sigmoid_of(gates[0]);
    gates[1] = sigmoid_of(gates[1]);
    gates[2] = tanh_of(gates[2]);
    gates[3] = sigmoid_of(gates[3]);
    c[0] = gates[0] * gates[2] + gates[1] * c[0];
    return gates[3] * tanh_of(c[0]);
  }

  // dc in: from the step after, out: for the step before. Returns out_bias's gradient.
  __device__ static T backward(const T* kept, const T* c, const T* before, T, T dh, T* dc,
                               T* grads) {
    const T i = kept[0], f = kept[1], g = kept[2], o = kept[3];
    const T tanh_c = tanh_of(c[0]);
    const T dcell = dc[0] + dh * o * (T(1) - tanh_c * tanh_c);
    grads[0] = dcell * g * i * (T(1) - i);
    grads[1] = dcell * before[0] * f * (T(1) - f);
    grads[2] = dcell * i * (T(1) - g * g);
    grads[3] = dh * tanh_c * o * (T(1) - o);
    dc[0] = dcell * f;
    return T(0);
  }
};

template <typename T>
struct Rcnn {
  static constexpr int G = RcnnCell::kGates, R = RcnnCell::kRecurrent, C = RcnnCell::kCarried,
                       K = RcnnCell::kKept;

  __device__ static T forward(T* gates, T* c, T out_bias) {
    const T keep = sigmoid_of(gates[0]);
    const T before1 = c[0];
    c[0] = keep * before1 + (T(1) - keep) * gates[1];
    c[1] = keep * c[1] + (T(1) - keep) * (before1 + gates[2]);
    gates[0] = keep;
    return tanh_of(c[1] + out_bias);
  }

  __device__ static T backward(const T* kept, const T* c, const T* before, T hidden, T dh, T* dc,
                               T* grads) {
    const T keep = kept[0];
    const T share = T(1) - keep;
    const T dsum = dh * (T(1) - hidden * hidden);
    const T dc2 = dc[1] + dsum;
    const T dc1 = dc[0];
    grads[0] = keep * (dc1 * (before[0] - c[0]) + dc2 * (before[1] - c[1]));
    grads[1] = dc1 * share;
    grads[2] = dc2 * share;
    dc[0] = dc1 * keep + dc2 * share;
    dc[1] = dc2 * keep;
    return dsum;
  }
};

}  // namespace hardkuma::cuda
