#pragma once

#include <cstdint>

namespace hardkuma {

/// The elementwise part of one LSTM step over `rows` sequences and `h` units, one direction.
/// `gates` holds the four pre-activations i, f, g, o side by side in each row; the forward pass
/// overwrites them with their activations, the backward pass with the gradients of the
/// pre-activations. Row strides: `ld_gates` for gates, `ld` for everything else.
template <typename T>
struct LstmStep {
  int64_t rows;
  int64_t h;
  int64_t ld_gates;
  int64_t ld;
  int64_t previous_rows;  ///< rows below this have a previous state; the others start from zero
};

void lstm_cell_forward(const LstmStep<float>& step, float* gates, const float* previous_cell,
                       float* cell, float* hidden);
void lstm_cell_forward(const LstmStep<double>& step, double* gates, const double* previous_cell,
                       double* cell, double* hidden);

/// `grad_hidden` is the whole gradient of the hidden state; `grad_cell` carries the gradient of the
/// cell in (from the later step) and out (to the earlier one). `activations` are the forward
/// pass's, `grad_gates` receives the result. grad_hidden and grad_cell have row stride h.
void lstm_cell_backward(const LstmStep<float>& step, const float* activations,
                        const float* previous_cell, const float* cell, const float* grad_hidden,
                        float* grad_cell, float* grad_gates);
void lstm_cell_backward(const LstmStep<double>& step, const double* activations,
                        const double* previous_cell, const double* cell, const double* grad_hidden,
                        double* grad_cell, double* grad_gates);

/// C += A·Bᵀ with A [m, k], B [n, k], C [m, n], all row-major with the given row strides.
void gemm_nt(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
             int64_t ldb, float* c, int64_t ldc);
void gemm_nt(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b,
             int64_t ldb, double* c, int64_t ldc);

/// C += A·B with A [m, k], B [k, n], C [m, n].
void gemm_nn(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
             int64_t ldb, float* c, int64_t ldc);
void gemm_nn(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b,
             int64_t ldb, double* c, int64_t ldc);

}  // namespace hardkuma
