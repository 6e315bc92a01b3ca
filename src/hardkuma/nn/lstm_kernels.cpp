#include "hardkuma/nn/lstm_kernels.h"

#include <bit>
#include <cmath>

// The loops below are plain C++ that the compiler vectorises; each is compiled for several
// instruction sets and the loader picks one. Sanitizers cannot run the picking, so they get one.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define HARDKUMA_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HARDKUMA_CLONES
#endif
#define HARDKUMA_INLINE [[gnu::always_inline]] inline

extern "C" {
void sgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
            const float* beta, float* c, const int* ldc);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc);
}

namespace hardkuma {
namespace {

// exp by range reduction to [-ln2/2, ln2/2] and a degree-6 polynomial: within 2 ulp, branch-free.
HARDKUMA_INLINE float exponential(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding and subtracting it rounds
  const float n = (x * 1.44269504f + kRound) - kRound;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const int32_t exponent = (static_cast<int32_t>(n) + 127) * (1 << 23);
  return p * std::bit_cast<float>(exponent);
}

HARDKUMA_INLINE double exponential(double x) {
  return std::exp(x);
}

template <typename T>
HARDKUMA_INLINE T sigmoid(T x) {
  return T(1) / (T(1) + exponential(-x));
}

template <typename T>
HARDKUMA_INLINE T tanh_of(T x) {
  return T(2) / (T(1) + exponential(T(-2) * x)) - T(1);
}

template <typename T>
HARDKUMA_INLINE void forward_rows(const LstmStep<T>& step, T* gates, const T* previous_cell,
                                  T* cell, T* hidden) {
  const int64_t h = step.h;
  for (int64_t r = 0; r < step.rows; ++r) {
    T* __restrict__ i = gates + r * step.ld_gates;
    T* __restrict__ f = i + h;
    T* __restrict__ g = f + h;
    T* __restrict__ o = g + h;
    T* __restrict__ c = cell + r * step.ld;
    T* __restrict__ out = hidden + r * step.ld;
    const T* __restrict__ before = previous_cell + r * step.ld;
    const bool has_previous = r < step.previous_rows;
    for (int64_t j = 0; j < h; ++j) {
      i[j] = sigmoid(i[j]);
      g[j] = tanh_of(g[j]);
      f[j] = sigmoid(f[j]);
      o[j] = sigmoid(o[j]);
    }
    if (has_previous) {
      for (int64_t j = 0; j < h; ++j) c[j] = f[j] * before[j] + i[j] * g[j];
    } else {
      for (int64_t j = 0; j < h; ++j) c[j] = i[j] * g[j];
    }
    for (int64_t j = 0; j < h; ++j) out[j] = o[j] * tanh_of(c[j]);
  }
}

template <typename T>
HARDKUMA_INLINE void backward_rows(const LstmStep<T>& step, const T* activations,
                                   const T* previous_cell, const T* cell, const T* grad_hidden,
                                   T* grad_cell, T* grad_gates) {
  const int64_t h = step.h;
  for (int64_t r = 0; r < step.rows; ++r) {
    const T* __restrict__ i = activations + r * step.ld_gates;
    const T* __restrict__ f = i + h;
    const T* __restrict__ g = f + h;
    const T* __restrict__ o = g + h;
    const T* __restrict__ c = cell + r * step.ld;
    const T* __restrict__ before = previous_cell + r * step.ld;
    const T* __restrict__ dh = grad_hidden + r * h;
    T* __restrict__ dc = grad_cell + r * h;
    T* __restrict__ di = grad_gates + r * step.ld_gates;
    T* __restrict__ df = di + h;
    T* __restrict__ dg = df + h;
    T* __restrict__ d_o = dg + h;
    const T keep = r < step.previous_rows ? T(1) : T(0);
    if (r < step.previous_rows) {
      for (int64_t j = 0; j < h; ++j) df[j] = before[j];
    } else {
      for (int64_t j = 0; j < h; ++j) df[j] = T(0);
    }
    for (int64_t j = 0; j < h; ++j) {
      const T tc = tanh_of(c[j]);
      const T dcell = dc[j] + dh[j] * o[j] * (T(1) - tc * tc);
      d_o[j] = dh[j] * tc * o[j] * (T(1) - o[j]);
      di[j] = dcell * g[j] * i[j] * (T(1) - i[j]);
      dg[j] = dcell * i[j] * (T(1) - g[j] * g[j]);
      df[j] = dcell * df[j] * f[j] * (T(1) - f[j]);
      dc[j] = keep * dcell * f[j];
    }
  }
}

HARDKUMA_CLONES void forward_rows_f32(const LstmStep<float>& step, float* gates,
                                      const float* previous_cell, float* cell, float* hidden) {
  forward_rows<float>(step, gates, previous_cell, cell, hidden);
}

HARDKUMA_CLONES void backward_rows_f32(const LstmStep<float>& step, const float* activations,
                                       const float* previous_cell, const float* cell,
                                       const float* grad_hidden, float* grad_cell,
                                       float* grad_gates) {
  backward_rows<float>(step, activations, previous_cell, cell, grad_hidden, grad_cell, grad_gates);
}

// BLAS is column-major: the row-major product is asked for as its transpose.
template <typename T, typename Gemm>
void row_major_gemm(Gemm gemm, char trans_b, int64_t m, int64_t n, int64_t k, const T* a,
                    int64_t lda, const T* b, int64_t ldb, T* c, int64_t ldc) {
  if (m == 0) return;
  const char no = 'N';
  const T one = 1;
  const int mi = static_cast<int>(m), ni = static_cast<int>(n), ki = static_cast<int>(k);
  const int la = static_cast<int>(lda), lb = static_cast<int>(ldb), lc = static_cast<int>(ldc);
  gemm(&trans_b, &no, &ni, &mi, &ki, &one, b, &lb, a, &la, &one, c, &lc);
}

}  // namespace

void lstm_cell_forward(const LstmStep<float>& step, float* gates, const float* previous_cell,
                       float* cell, float* hidden) {
  forward_rows_f32(step, gates, previous_cell, cell, hidden);
}

void lstm_cell_forward(const LstmStep<double>& step, double* gates, const double* previous_cell,
                       double* cell, double* hidden) {
  forward_rows<double>(step, gates, previous_cell, cell, hidden);
}

void lstm_cell_backward(const LstmStep<float>& step, const float* activations,
                        const float* previous_cell, const float* cell, const float* grad_hidden,
                        float* grad_cell, float* grad_gates) {
  backward_rows_f32(step, activations, previous_cell, cell, grad_hidden, grad_cell, grad_gates);
}

void lstm_cell_backward(const LstmStep<double>& step, const double* activations,
                        const double* previous_cell, const double* cell, const double* grad_hidden,
                        double* grad_cell, double* grad_gates) {
  backward_rows<double>(step, activations, previous_cell, cell, grad_hidden, grad_cell, grad_gates);
}

void gemm_nt(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
             int64_t ldb, float* c, int64_t ldc) {
  row_major_gemm(sgemm_, 'T', m, n, k, a, lda, b, ldb, c, ldc);
}

void gemm_nt(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b,
             int64_t ldb, double* c, int64_t ldc) {
  row_major_gemm(dgemm_, 'T', m, n, k, a, lda, b, ldb, c, ldc);
}

void gemm_nn(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b,
             int64_t ldb, float* c, int64_t ldc) {
  row_major_gemm(sgemm_, 'N', m, n, k, a, lda, b, ldb, c, ldc);
}

void gemm_nn(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b,
             int64_t ldb, double* c, int64_t ldc) {
  row_major_gemm(dgemm_, 'N', m, n, k, a, lda, b, ldb, c, ldc);
}

}  // namespace hardkuma
