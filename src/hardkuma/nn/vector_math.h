#pragma once

#include <cmath>

// Loops over arrays are plain C++ that the compiler vectorises. A function marked HARDKUMA_CLONES
// is compiled for several instruction sets and the loader picks one. Functions it calls must be
// HARDKUMA_INLINE, to be compiled for the same set. Sanitizer builds cannot pick and have only one.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(HARDKUMA_SANITIZED)
#define HARDKUMA_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HARDKUMA_CLONES
#endif
#define HARDKUMA_INLINE [[gnu::always_inline]] inline

// Before a loop whose arrays do not overlap, or overlap exactly.
#if defined(__GNUC__) && !defined(__clang__)
#define HARDKUMA_INDEPENDENT _Pragma("GCC ivdep")
#else
#define HARDKUMA_INDEPENDENT
#endif

// glibc also has vector versions of these functions (libmvec, at most 4 ulp off). It declares them
// only under -ffast-math, which would break our edge cases, so they are declared here.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)
#define HARDKUMA_VECTOR_FUNCTION [[gnu::simd("notinbranch"), gnu::const]]
extern "C" {
HARDKUMA_VECTOR_FUNCTION float expf(float) noexcept;
HARDKUMA_VECTOR_FUNCTION float expm1f(float) noexcept;
HARDKUMA_VECTOR_FUNCTION float logf(float) noexcept;
HARDKUMA_VECTOR_FUNCTION float log1pf(float) noexcept;
HARDKUMA_VECTOR_FUNCTION float tanhf(float) noexcept;
HARDKUMA_VECTOR_FUNCTION double exp(double) noexcept;
HARDKUMA_VECTOR_FUNCTION double expm1(double) noexcept;
HARDKUMA_VECTOR_FUNCTION double log(double) noexcept;
HARDKUMA_VECTOR_FUNCTION double log1p(double) noexcept;
HARDKUMA_VECTOR_FUNCTION double tanh(double) noexcept;
}
#undef HARDKUMA_VECTOR_FUNCTION
#endif
#endif

namespace hardkuma::vec {

HARDKUMA_INLINE float exp(float x) {
  return ::expf(x);
}
HARDKUMA_INLINE double exp(double x) {
  return ::exp(x);
}
HARDKUMA_INLINE float expm1(float x) {
  return ::expm1f(x);
}
HARDKUMA_INLINE double expm1(double x) {
  return ::expm1(x);
}
HARDKUMA_INLINE float log(float x) {
  return ::logf(x);
}
HARDKUMA_INLINE double log(double x) {
  return ::log(x);
}
HARDKUMA_INLINE float log1p(float x) {
  return ::log1pf(x);
}
HARDKUMA_INLINE double log1p(double x) {
  return ::log1p(x);
}
HARDKUMA_INLINE float tanh(float x) {
  return ::tanhf(x);
}
HARDKUMA_INLINE double tanh(double x) {
  return ::tanh(x);
}

template <typename T>
HARDKUMA_INLINE T sigmoid(T x) {
  return T(1) / (T(1) + exp(-x));
}

/// log(1 - exp(-y)) for y > 0, accurate for tiny and for large y.
template <typename T>
HARDKUMA_INLINE T log1mexp(T y) {
  const T near_zero = log(-expm1(-y));
  const T far = log1p(-exp(-y));
  return y < T(0.693147180559945309) ? near_zero : far;
}

}  // namespace hardkuma::vec
