#pragma once

#include <cstdint>

namespace hardkuma {

enum class CellKind { Lstm, Rcnn };

/// One step of a recurrent cell over `rows` sequences with `h` units each. Every pointer points to
/// the step's first row; every stride (ld_…) counts elements between rows. Rows from
/// `previous_rows` on have no previous state and start from zero.
template <typename T>
struct CellForward {
  int64_t rows;
  int64_t previous_rows;
  int64_t h;
  T* gates;  ///< pre-activations in, activations out, Cell::kGates · h per row
  int64_t ld_gates;
  const T* const* inputs;  ///< RcnnCell only: rows to read x1 and x2 from; null: from `gates`
  const T* previous;       ///< carried state of the previous step, Cell::kCarried · h per row
  T* carried;
  int64_t ld_carried;
  T* hidden;
  int64_t ld_hidden;
  const T* out_bias;  ///< [h], RcnnCell only
};

template <typename T>
struct CellBackward {
  int64_t rows;
  int64_t previous_rows;
  int64_t h;
  const T* kept;  ///< the first Cell::kKept · h of each row's activations
  int64_t ld_kept;
  const T* previous;
  const T* carried;
  int64_t ld_carried;
  const T* hidden;
  int64_t ld_hidden;
  const T* grad_hidden;     ///< from the layer above, stride ld_hidden; null: none
  const T* grad_recurrent;  ///< from the next step, stride h
  T* grad_carried;  ///< in: from the next step, out: for the previous step; stride kCarried·h
  T* grad_gates;    ///< out: of the pre-activations, Cell::kGates · h per row
  int64_t ld_gates;
  T* grad_bias;      ///< [Cell::kRecurrent · h], these gates' gradients are added
  T* grad_out_bias;  ///< [h], gradients are added; RcnnCell only
};

/// i, f, g, o and the cell c: c = f c' + i g, hidden = o tanh c.
struct LstmCell {
  static constexpr int64_t kGates = 4;
  static constexpr int64_t kRecurrent = 4;  ///< leading gates that read the previous hidden state
  static constexpr int64_t kKept = 4;       ///< leading gates that the backward pass needs
  static constexpr int64_t kCarried = 1;
  static void forward(const CellForward<float>& step);
  static void forward(const CellForward<double>& step);
  static void backward(const CellBackward<float>& step);
  static void backward(const CellBackward<double>& step);
};

/// The bigram RCNN of the paper's appendix: gate λ, inputs x1 and x2, averages c1 and c2:
/// c1 = λ c1' + (1-λ) x1, c2 = λ c2' + (1-λ)(c1' + x2), hidden = tanh(c2 + out_bias).
struct RcnnCell {
  static constexpr int64_t kGates = 3;
  static constexpr int64_t kRecurrent = 1;
  static constexpr int64_t kKept = 1;
  static constexpr int64_t kCarried = 2;
  static void forward(const CellForward<float>& step);
  static void forward(const CellForward<double>& step);
  static void backward(const CellBackward<float>& step);
  static void backward(const CellBackward<double>& step);
};

/// out = bias + scale · in over n elements; a null `in` is zero.
void add_scaled(int64_t n, const float* bias, const float* in, float scale, float* out);
void add_scaled(int64_t n, const double* bias, const double* in, double scale, double* out);

/// out = (1 - z) · before + z · cell over n elements; a null `before` is zero.
void fade(int64_t n, float z, const float* before, const float* cell, float* out);
void fade(int64_t n, double z, const double* before, const double* cell, double* out);

/// The backward pass of fade(): `grad` has out's gradient and gets cell's, `rest` gets before's.
/// Returns z's.
float fade_back(int64_t n, float z, const float* before, const float* cell, float* grad,
                float* rest);
double fade_back(int64_t n, double z, const double* before, const double* cell, double* grad,
                 double* rest);

}  // namespace hardkuma
