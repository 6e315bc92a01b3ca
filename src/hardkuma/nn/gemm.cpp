#include "hardkuma/nn/gemm.h"

#include <algorithm>

#include "hardkuma/nn/blas.h"

namespace hardkuma {
namespace {

// Up to m·n·k = 10^6, OpenBLAS multiplies without first copying B into its own layout. A recurrent
// product is often just above, where the copy costs as much as the product: larger products are
// split to stay below. docs/speed.md has the measurements.
constexpr int64_t kUncopied = 1000000;
constexpr int64_t kRowMultiple = 4;

int64_t rows_at_a_time(int64_t m, int64_t n, int64_t k) {
  const int64_t fitting = kUncopied / std::max<int64_t>(1, n * k) / kRowMultiple * kRowMultiple;
  return fitting == 0 ? m : fitting;
}

// BLAS is column-major: the row-major product is computed as its transpose.
template <typename T, typename Blas>
void row_major(Blas blas, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b,
               int64_t ldb, T beta, T* c, int64_t ldc) {
  const char no = 'N';
  const T one = 1;
  const int ni = static_cast<int>(n), ki = static_cast<int>(k);
  const int la = static_cast<int>(lda), lb = static_cast<int>(ldb), lc = static_cast<int>(ldc);
  const int64_t block = rows_at_a_time(m, n, k);
  for (int64_t r = 0; r < m; r += block) {
    const int rows = static_cast<int>(std::min(block, m - r));
    blas(&no, &no, &ni, &rows, &ki, &one, b, &lb, a + r * lda, &la, &beta, c + r * ldc, &lc);
  }
}

template <typename T, typename Blas>
void row_major(Blas blas, Transposed transposed, int64_t m, int64_t n, int64_t k, const T* a,
               int64_t lda, const T* b, int64_t ldb, T beta, T* c, int64_t ldc) {
  const char op_a = transposed.a ? 'T' : 'N';
  const char op_b = transposed.b ? 'T' : 'N';
  const T one = 1;
  const int mi = static_cast<int>(m), ni = static_cast<int>(n), ki = static_cast<int>(k);
  const int la = static_cast<int>(lda), lb = static_cast<int>(ldb), lc = static_cast<int>(ldc);
  blas(&op_b, &op_a, &ni, &mi, &ki, &one, b, &lb, a, &la, &beta, c, &lc);
}

}  // namespace

void gemm(Transposed transposed, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  row_major(sgemm_, transposed, m, n, k, a, lda, b, ldb, beta, c, ldc);
}

void gemm(Transposed transposed, int64_t m, int64_t n, int64_t k, const double* a, int64_t lda,
          const double* b, int64_t ldb, double beta, double* c, int64_t ldc) {
  row_major(dgemm_, transposed, m, n, k, a, lda, b, ldb, beta, c, ldc);
}

void gemm(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb,
          float beta, float* c, int64_t ldc) {
  row_major(sgemm_, m, n, k, a, lda, b, ldb, beta, c, ldc);
}

void gemm(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b,
          int64_t ldb, double beta, double* c, int64_t ldc) {
  row_major(dgemm_, m, n, k, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace hardkuma
