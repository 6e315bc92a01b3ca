#pragma once

#include "hardkuma/nn/cells.h"
#include "hardkuma/nn/cuda/gate_math.cuh"

// The formulas of cells with a GPU's functions, one unit at a time.
namespace hardkuma::cuda {

template <typename T>
struct Lstm {
  static constexpr int G = LstmCell::kGates, R = LstmCell::kRecurrent, C = LstmCell::kCarried,
                       K = LstmCell::kKept;

  // gates in: before activation, out: after. c in: before this step. Returns the hidden state.
  __device__ static T forward(T* gates, T* c, T) {
    gates[0] = Gpu::sigmoid(gates[0]);
    gates[1] = Gpu::sigmoid(gates[1]);
    gates[2] = Gpu::tanh(gates[2]);
    gates[3] = Gpu::sigmoid(gates[3]);
    c[0] = formulas::lstm_state<true>(gates[0], gates[1], gates[2], c[0]);
    return formulas::lstm_hidden<Gpu>(gates[3], c[0]);
  }

  // dc in: from the next step, out: for the previous step. Returns out_bias's gradient.
  __device__ static T backward(const T* kept, const T* c, const T* before, T, T dh, T* dc,
                               T* grads) {
    const auto d = formulas::lstm_backward<Gpu>(kept[0], kept[1], kept[2], kept[3], c[0], before[0],
                                                dc[0], dh);
    grads[0] = d.i;
    grads[1] = d.f;
    grads[2] = d.g;
    grads[3] = d.o;
    dc[0] = d.before;
    return T(0);
  }
};

template <typename T>
struct Rcnn {
  static constexpr int G = RcnnCell::kGates, R = RcnnCell::kRecurrent, C = RcnnCell::kCarried,
                       K = RcnnCell::kKept;

  __device__ static T forward(T* gates, T* c, T out_bias) {
    gates[0] = Gpu::sigmoid(gates[0]);
    const auto state = formulas::rcnn_state(gates[0], gates[1], gates[2], c[0], c[1]);
    c[0] = state.c1;
    c[1] = state.c2;
    return Gpu::tanh(state.c2 + out_bias);
  }

  __device__ static T backward(const T* kept, const T* c, const T* before, T hidden, T dh, T* dc,
                               T* grads) {
    const auto d = formulas::rcnn_backward<T>(kept[0], {c[0], c[1]}, {before[0], before[1]}, hidden,
                                              {dc[0], dc[1]}, dh);
    grads[0] = d.keep;
    grads[1] = d.x1;
    grads[2] = d.x2;
    dc[0] = d.before1;
    dc[1] = d.before2;
    return d.out_bias;
  }
};

}  // namespace hardkuma::cuda
