#pragma once

#include <cstdint>

namespace hardkuma {

/// C = A·B + beta·C with A [m, k], B [k, n], C [m, n], row-major with the given row strides: the
/// product inside a recurrence, where m is the number of live sequences and often small.
void gemm(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb,
          float beta, float* c, int64_t ldc);
void gemm(int64_t m, int64_t n, int64_t k, const double* a, int64_t lda, const double* b,
          int64_t ldb, double beta, double* c, int64_t ldc);

/// C = op(A)·op(B) + beta·C in one call, where op transposes if the flag is set, for products too
/// small to split: A is [m, k] after op, B [k, n].
struct Transposed {
  bool a = false;
  bool b = false;
};
void gemm(Transposed transposed, int64_t m, int64_t n, int64_t k, const float* a, int64_t lda,
          const float* b, int64_t ldb, float beta, float* c, int64_t ldc);
void gemm(Transposed transposed, int64_t m, int64_t n, int64_t k, const double* a, int64_t lda,
          const double* b, int64_t ldb, double beta, double* c, int64_t ldc);

}  // namespace hardkuma
