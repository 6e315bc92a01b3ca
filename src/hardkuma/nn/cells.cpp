#include "hardkuma/nn/cells.h"

#include <algorithm>

#include "hardkuma/nn/formulas.h"
#include "hardkuma/nn/vector_math.h"

namespace hardkuma {
namespace {

struct CpuMath {
  template <typename T>
  HARDKUMA_INLINE static T tanh(T x) {
    return vec::tanh(x);
  }
};

// out = bias + scale · in; a null in is zero.
template <typename T>
HARDKUMA_INLINE void scaled_sum(int64_t n, const T* bias, const T* in, T scale, T* out) {
  if (in == nullptr) {
    std::copy(bias, bias + n, out);
    return;
  }
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < n; ++j) out[j] = bias[j] + scale * in[j];
}

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void fade_units(int64_t n, T z, const T* before, const T* cell, T* out) {
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < n; ++j)
    out[j] = formulas::faded(z, kHasPrevious ? before[j] : T(0), cell[j]);
}

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE T fade_back_units(int64_t n, T z, const T* before, const T* cell, T* grad,
                                  T* rest) {
  T sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += grad[j] * (cell[j] - (kHasPrevious ? before[j] : T(0)));
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < n; ++j) {
    rest[j] = (T(1) - z) * grad[j];
    grad[j] *= z;
  }
  return sum;
}

template <typename T>
HARDKUMA_INLINE void fade_row(int64_t n, T z, const T* before, const T* cell, T* out) {
  before == nullptr ? fade_units<false>(n, z, before, cell, out)
                    : fade_units<true>(n, z, before, cell, out);
}

template <typename T>
HARDKUMA_INLINE T fade_back_row(int64_t n, T z, const T* before, const T* cell, T* grad, T* rest) {
  return before == nullptr ? fade_back_units<false>(n, z, before, cell, grad, rest)
                           : fade_back_units<true>(n, z, before, cell, grad, rest);
}

// A row's arrays for a run of units, in the row itself or, for the row's end, in a scratch space.
template <typename T>
struct LstmUnits {
  T* i;
  T* f;
  T* g;
  T* o;
  const T* before;
  T* c;
  T* out;
};

template <typename T>
struct RcnnUnits {
  T* gate;
  const T* x1;
  const T* x2;
  const T* before1;
  const T* before2;
  const T* bias;
  T* c1;
  T* c2;
  T* out;
};

// Vector instructions take kLanes units at a time. Computing the few units at a row's end one by
// one would take as long as all the others: they go through a full-width scratch space instead.
constexpr int64_t kLanes = 16;

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void lstm_forward_units(const LstmUnits<T>& at, int64_t n) {
  T* __restrict__ i = at.i;
  T* __restrict__ f = at.f;
  T* __restrict__ g = at.g;
  T* __restrict__ o = at.o;
  const T* __restrict__ before = at.before;
  T* __restrict__ c = at.c;
  T* __restrict__ out = at.out;
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < n; ++j) {
    i[j] = vec::sigmoid(i[j]);
    f[j] = vec::sigmoid(f[j]);
    g[j] = vec::tanh(g[j]);
    o[j] = vec::sigmoid(o[j]);
  }
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < n; ++j) {
    c[j] = formulas::lstm_state<kHasPrevious>(i[j], f[j], g[j], before[j]);
    out[j] = formulas::lstm_hidden<CpuMath>(o[j], c[j]);
  }
}

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void lstm_forward_row(const CellForward<T>& step, int64_t r) {
  const int64_t h = step.h;
  const int64_t whole = h / kLanes * kLanes;
  const int64_t rest = h - whole;
  T* gates = step.gates + r * step.ld_gates;
  const LstmUnits<T> at{gates,
                        gates + h,
                        gates + 2 * h,
                        gates + 3 * h,
                        step.previous + r * step.ld_carried,
                        step.carried + r * step.ld_carried,
                        step.hidden + r * step.ld_hidden};
  lstm_forward_units<kHasPrevious>(at, whole);
  if (rest == 0) return;
  T scratch[7][kLanes] = {};
  const auto load = [&](const T* from, T* to) { std::copy(from + whole, from + h, to); };
  const auto store = [&](const T* from, T* to) { std::copy(from, from + rest, to + whole); };
  load(at.i, scratch[0]);
  load(at.f, scratch[1]);
  load(at.g, scratch[2]);
  load(at.o, scratch[3]);
  if (kHasPrevious) load(at.before, scratch[4]);
  lstm_forward_units<kHasPrevious>(LstmUnits<T>{scratch[0], scratch[1], scratch[2], scratch[3],
                                                scratch[4], scratch[5], scratch[6]},
                                   kLanes);
  store(scratch[0], at.i);
  store(scratch[1], at.f);
  store(scratch[2], at.g);
  store(scratch[3], at.o);
  store(scratch[5], at.c);
  store(scratch[6], at.out);
}

// The gradient of a row's hidden state: the sum from the layer above and from the next step.
template <typename T>
HARDKUMA_INLINE void sum_of_gradients(const CellBackward<T>& step, int64_t r, T* out) {
  T* __restrict__ total = out;
  const T* __restrict__ later = step.grad_recurrent + r * step.h;
  if (step.grad_hidden == nullptr) {
    HARDKUMA_INDEPENDENT
    for (int64_t j = 0; j < step.h; ++j) total[j] = later[j];
  } else {
    const T* __restrict__ above = step.grad_hidden + r * step.ld_hidden;
    HARDKUMA_INDEPENDENT
    for (int64_t j = 0; j < step.h; ++j) total[j] = later[j] + above[j];
  }
}

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void lstm_backward_row(const CellBackward<T>& step, int64_t r) {
  const int64_t h = step.h;
  const T* __restrict__ i = step.kept + r * step.ld_kept;
  const T* __restrict__ f = i + h;
  const T* __restrict__ g = f + h;
  const T* __restrict__ o = g + h;
  const T* __restrict__ before = step.previous + r * step.ld_carried;
  const T* __restrict__ c = step.carried + r * step.ld_carried;
  T* __restrict__ dc = step.grad_carried + r * h;
  T* di = step.grad_gates + r * step.ld_gates;
  T* df = di + h;
  T* dg = df + h;
  T* d_o = dg + h;
  sum_of_gradients(step, r, d_o);
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < h; ++j) {
    const auto d = formulas::lstm_backward<CpuMath>(i[j], f[j], g[j], o[j], c[j],
                                                    kHasPrevious ? before[j] : T(0), dc[j], d_o[j]);
    d_o[j] = d.o;
    di[j] = d.i;
    dg[j] = d.g;
    df[j] = kHasPrevious ? d.f : T(0);
    dc[j] = kHasPrevious ? d.before : T(0);
  }
  const T* gradients = step.grad_gates + r * step.ld_gates;
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < 4 * h; ++j) step.grad_bias[j] += gradients[j];
}

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void rcnn_forward_units(const RcnnUnits<T>& at, int64_t n) {
  T* __restrict__ gate = at.gate;
  const T* __restrict__ x1 = at.x1;
  const T* __restrict__ x2 = at.x2;
  const T* __restrict__ before1 = at.before1;
  const T* __restrict__ before2 = at.before2;
  const T* __restrict__ bias = at.bias;
  T* __restrict__ c1 = at.c1;
  T* __restrict__ c2 = at.c2;
  T* __restrict__ out = at.out;
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < n; ++j) {
    const T keep = vec::sigmoid(gate[j]);
    const auto state = formulas::rcnn_state(keep, x1[j], x2[j], kHasPrevious ? before1[j] : T(0),
                                            kHasPrevious ? before2[j] : T(0));
    gate[j] = keep;
    c1[j] = state.c1;
    c2[j] = state.c2;
    out[j] = vec::tanh(state.c2 + bias[j]);
  }
}

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void rcnn_forward_row(const CellForward<T>& step, int64_t r) {
  const int64_t h = step.h;
  const int64_t whole = h / kLanes * kLanes;
  const int64_t rest = h - whole;
  T* gates = step.gates + r * step.ld_gates;
  const T* x = (step.inputs != nullptr ? step.inputs[r] : gates) + h;
  const T* before = step.previous + r * step.ld_carried;
  T* carried = step.carried + r * step.ld_carried;
  const RcnnUnits<T> at{gates,   x,           x + h,
                        before,  before + h,  step.out_bias,
                        carried, carried + h, step.hidden + r * step.ld_hidden};
  rcnn_forward_units<kHasPrevious>(at, whole);
  if (rest == 0) return;
  T scratch[9][kLanes] = {};
  const auto load = [&](const T* from, T* to) { std::copy(from + whole, from + h, to); };
  const auto store = [&](const T* from, T* to) { std::copy(from, from + rest, to + whole); };
  load(at.gate, scratch[0]);
  load(at.x1, scratch[1]);
  load(at.x2, scratch[2]);
  if (kHasPrevious) load(at.before1, scratch[3]);
  if (kHasPrevious) load(at.before2, scratch[4]);
  load(at.bias, scratch[5]);
  rcnn_forward_units<kHasPrevious>(
      RcnnUnits<T>{scratch[0], scratch[1], scratch[2], scratch[3], scratch[4], scratch[5],
                   scratch[6], scratch[7], scratch[8]},
      kLanes);
  store(scratch[0], at.gate);
  store(scratch[6], at.c1);
  store(scratch[7], at.c2);
  store(scratch[8], at.out);
}

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void rcnn_backward_row(const CellBackward<T>& step, int64_t r) {
  const int64_t h = step.h;
  const T* __restrict__ gate = step.kept + r * step.ld_kept;
  const T* __restrict__ before1 = step.previous + r * step.ld_carried;
  const T* __restrict__ before2 = before1 + h;
  const T* __restrict__ c1 = step.carried + r * step.ld_carried;
  const T* __restrict__ c2 = c1 + h;
  const T* __restrict__ out = step.hidden + r * step.ld_hidden;
  T* __restrict__ d1 = step.grad_carried + r * 2 * h;
  T* __restrict__ d2 = d1 + h;
  T* __restrict__ dgate = step.grad_gates + r * step.ld_gates;
  T* __restrict__ dx1 = dgate + h;
  T* __restrict__ dx2 = dx1 + h;
  T* __restrict__ bias_gate = step.grad_bias;
  T* __restrict__ bias_out = step.grad_out_bias;
  sum_of_gradients(step, r, dgate);
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < h; ++j) {
    const formulas::RcnnState<T> before{kHasPrevious ? before1[j] : T(0),
                                        kHasPrevious ? before2[j] : T(0)};
    const auto d = formulas::rcnn_backward<T>(gate[j], {c1[j], c2[j]}, before, out[j],
                                              {d1[j], d2[j]}, dgate[j]);
    dgate[j] = d.keep;
    dx1[j] = d.x1;
    dx2[j] = d.x2;
    bias_gate[j] += d.keep;
    bias_out[j] += d.out_bias;
    d1[j] = kHasPrevious ? d.before1 : T(0);
    d2[j] = kHasPrevious ? d.before2 : T(0);
  }
}

template <typename T>
HARDKUMA_INLINE void lstm_forward(const CellForward<T>& step) {
  for (int64_t r = 0; r < step.previous_rows; ++r) lstm_forward_row<true>(step, r);
  for (int64_t r = step.previous_rows; r < step.rows; ++r) lstm_forward_row<false>(step, r);
}

template <typename T>
HARDKUMA_INLINE void lstm_backward(const CellBackward<T>& step) {
  for (int64_t r = 0; r < step.previous_rows; ++r) lstm_backward_row<true>(step, r);
  for (int64_t r = step.previous_rows; r < step.rows; ++r) lstm_backward_row<false>(step, r);
}

template <typename T>
HARDKUMA_INLINE void rcnn_forward(const CellForward<T>& step) {
  for (int64_t r = 0; r < step.previous_rows; ++r) rcnn_forward_row<true>(step, r);
  for (int64_t r = step.previous_rows; r < step.rows; ++r) rcnn_forward_row<false>(step, r);
}

template <typename T>
HARDKUMA_INLINE void rcnn_backward(const CellBackward<T>& step) {
  for (int64_t r = 0; r < step.previous_rows; ++r) rcnn_backward_row<true>(step, r);
  for (int64_t r = step.previous_rows; r < step.rows; ++r) rcnn_backward_row<false>(step, r);
}

}  // namespace

HARDKUMA_CLONES void LstmCell::forward(const CellForward<float>& step) {
  lstm_forward(step);
}
HARDKUMA_CLONES void LstmCell::forward(const CellForward<double>& step) {
  lstm_forward(step);
}
HARDKUMA_CLONES void LstmCell::backward(const CellBackward<float>& step) {
  lstm_backward(step);
}
HARDKUMA_CLONES void LstmCell::backward(const CellBackward<double>& step) {
  lstm_backward(step);
}
HARDKUMA_CLONES void RcnnCell::forward(const CellForward<float>& step) {
  rcnn_forward(step);
}
HARDKUMA_CLONES void RcnnCell::forward(const CellForward<double>& step) {
  rcnn_forward(step);
}
HARDKUMA_CLONES void RcnnCell::backward(const CellBackward<float>& step) {
  rcnn_backward(step);
}
HARDKUMA_CLONES void RcnnCell::backward(const CellBackward<double>& step) {
  rcnn_backward(step);
}

HARDKUMA_CLONES void add_scaled(int64_t n, const float* bias, const float* in, float scale,
                                float* out) {
  scaled_sum(n, bias, in, scale, out);
}

HARDKUMA_CLONES void add_scaled(int64_t n, const double* bias, const double* in, double scale,
                                double* out) {
  scaled_sum(n, bias, in, scale, out);
}

HARDKUMA_CLONES void fade(int64_t n, float z, const float* before, const float* cell, float* out) {
  fade_row(n, z, before, cell, out);
}

HARDKUMA_CLONES void fade(int64_t n, double z, const double* before, const double* cell,
                          double* out) {
  fade_row(n, z, before, cell, out);
}

HARDKUMA_CLONES float fade_back(int64_t n, float z, const float* before, const float* cell,
                                float* grad, float* rest) {
  return fade_back_row(n, z, before, cell, grad, rest);
}

HARDKUMA_CLONES double fade_back(int64_t n, double z, const double* before, const double* cell,
                                 double* grad, double* rest) {
  return fade_back_row(n, z, before, cell, grad, rest);
}

}  // namespace hardkuma
