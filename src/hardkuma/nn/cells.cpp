#include "hardkuma/nn/cells.h"

#include "hardkuma/nn/vector_math.h"

namespace hardkuma {
namespace {

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void lstm_forward_row(const CellForward<T>& step, int64_t r) {
  const int64_t h = step.h;
  T* __restrict__ i = step.gates + r * step.ld_gates;
  T* __restrict__ f = i + h;
  T* __restrict__ g = f + h;
  T* __restrict__ o = g + h;
  const T* __restrict__ before = step.previous + r * step.ld_carried;
  T* __restrict__ c = step.carried + r * step.ld_carried;
  T* __restrict__ out = step.hidden + r * step.ld_hidden;
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < h; ++j) {
    i[j] = vec::sigmoid(i[j]);
    f[j] = vec::sigmoid(f[j]);
    g[j] = vec::tanh(g[j]);
    o[j] = vec::sigmoid(o[j]);
  }
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < h; ++j) {
    c[j] = i[j] * g[j] + (kHasPrevious ? f[j] * before[j] : T(0));
    out[j] = o[j] * vec::tanh(c[j]);
  }
}

// The whole gradient of a row's hidden state: from above and from the step after.
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
  const T* __restrict__ i = step.gates + r * step.ld_gates;
  const T* __restrict__ f = i + h;
  const T* __restrict__ g = f + h;
  const T* __restrict__ o = g + h;
  const T* __restrict__ before = step.previous + r * step.ld_carried;
  const T* __restrict__ c = step.carried + r * step.ld_carried;
  T* __restrict__ dc = step.grad_carried + r * h;
  T* __restrict__ di = step.grad_gates + r * step.ld_gates;
  T* __restrict__ df = di + h;
  T* __restrict__ dg = df + h;
  T* __restrict__ d_o = dg + h;
  sum_of_gradients(step, r, d_o);
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < h; ++j) {
    const T dh = d_o[j];
    const T tanh_c = vec::tanh(c[j]);
    const T dcell = dc[j] + dh * o[j] * (T(1) - tanh_c * tanh_c);
    d_o[j] = dh * tanh_c * o[j] * (T(1) - o[j]);
    di[j] = dcell * g[j] * i[j] * (T(1) - i[j]);
    dg[j] = dcell * i[j] * (T(1) - g[j] * g[j]);
    df[j] = kHasPrevious ? dcell * before[j] * f[j] * (T(1) - f[j]) : T(0);
    dc[j] = kHasPrevious ? dcell * f[j] : T(0);
  }
}

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void rcnn_forward_row(const CellForward<T>& step, int64_t r) {
  const int64_t h = step.h;
  T* __restrict__ gate = step.gates + r * step.ld_gates;
  const T* __restrict__ x1 = gate + h;
  const T* __restrict__ x2 = x1 + h;
  const T* __restrict__ before1 = step.previous + r * step.ld_carried;
  const T* __restrict__ before2 = before1 + h;
  T* __restrict__ c1 = step.carried + r * step.ld_carried;
  T* __restrict__ c2 = c1 + h;
  T* __restrict__ out = step.hidden + r * step.ld_hidden;
  const T* __restrict__ bias = step.out_bias;
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < h; ++j) {
    const T keep = vec::sigmoid(gate[j]);
    const T p1 = kHasPrevious ? before1[j] : T(0);
    const T p2 = kHasPrevious ? before2[j] : T(0);
    const T new1 = keep * p1 + (T(1) - keep) * x1[j];
    const T new2 = keep * p2 + (T(1) - keep) * (p1 + x2[j]);
    gate[j] = keep;
    c1[j] = new1;
    c2[j] = new2;
    out[j] = vec::tanh(new2 + bias[j]);
  }
}

template <bool kHasPrevious, typename T>
HARDKUMA_INLINE void rcnn_backward_row(const CellBackward<T>& step, int64_t r) {
  const int64_t h = step.h;
  const T* __restrict__ gate = step.gates + r * step.ld_gates;
  const T* __restrict__ x1 = gate + h;
  const T* __restrict__ x2 = x1 + h;
  const T* __restrict__ before1 = step.previous + r * step.ld_carried;
  const T* __restrict__ before2 = before1 + h;
  const T* __restrict__ out = step.hidden + r * step.ld_hidden;
  T* __restrict__ d1 = step.grad_carried + r * 2 * h;
  T* __restrict__ d2 = d1 + h;
  T* __restrict__ dgate = step.grad_gates + r * step.ld_gates;
  T* __restrict__ dx1 = dgate + h;
  T* __restrict__ dx2 = dx1 + h;
  T* __restrict__ dbias = step.grad_out_bias;
  sum_of_gradients(step, r, dgate);
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < h; ++j) {
    const T keep = gate[j];
    const T share = T(1) - keep;
    const T p1 = kHasPrevious ? before1[j] : T(0);
    const T p2 = kHasPrevious ? before2[j] : T(0);
    const T dsum = dgate[j] * (T(1) - out[j] * out[j]);
    const T dc2 = d2[j] + dsum;
    const T dc1 = d1[j];
    const T dkeep = dc1 * (p1 - x1[j]) + dc2 * (p2 - p1 - x2[j]);
    dbias[j] += dsum;
    dgate[j] = dkeep * keep * share;
    dx1[j] = dc1 * share;
    dx2[j] = dc2 * share;
    d1[j] = kHasPrevious ? dc1 * keep + dc2 * share : T(0);
    d2[j] = kHasPrevious ? dc2 * keep : T(0);
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

}  // namespace hardkuma
