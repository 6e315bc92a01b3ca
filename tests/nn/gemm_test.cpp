#include "hardkuma/nn/gemm.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

namespace hardkuma {
namespace {

// Sizes on both sides of where the product is cut into blocks of rows, and strides that leave gaps.
template <typename T>
void expect_product(at::ScalarType dtype) {
  at::manual_seed(1);
  for (const auto& [m, n, k] :
       std::vector<std::tuple<int64_t, int64_t, int64_t>>{{0, 3, 4},
                                                          {1, 7, 5},
                                                          {12, 600, 150},
                                                          {13, 600, 150},
                                                          {130, 200, 200},
                                                          {3, 1100, 1000}}) {
    for (const T beta : {T(0), T(1)}) {
      const at::Tensor a = at::randn({m, k + 3}, dtype);
      const at::Tensor b = at::randn({k, n}, dtype);
      at::Tensor c = at::randn({m, n + 5}, dtype);
      at::Tensor expected = c.clone();
      expected.slice(1, 0, n) = at::mm(a.slice(1, 0, k), b) + beta * c.slice(1, 0, n);
      if (beta == T(0)) c.slice(1, 0, n).fill_(NAN);  // what was there must not matter
      gemm(m, n, k, a.data_ptr<T>(), k + 3, b.data_ptr<T>(), n, beta, c.data_ptr<T>(), n + 5);
      EXPECT_TRUE(at::allclose(c, expected, 1e-4, 1e-4)) << m << "x" << n << "x" << k;
    }
  }
}

TEST(Gemm, TransposesWhatItIsTold) {
  at::manual_seed(2);
  const at::Tensor a = at::randn({5, 7}, at::kDouble);
  const at::Tensor b = at::randn({7, 3}, at::kDouble);
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const at::Tensor left = ta ? a.t().contiguous() : a;
      const at::Tensor right = tb ? b.t().contiguous() : b;
      at::Tensor c = at::ones({5, 4}, at::kDouble);
      gemm({ta, tb}, 5, 3, 7, left.data_ptr<double>(), left.size(1), right.data_ptr<double>(),
           right.size(1), 1.0, c.data_ptr<double>(), 4);
      EXPECT_TRUE(at::allclose(c.slice(1, 0, 3), at::mm(a, b) + 1));
      EXPECT_TRUE(at::equal(c.slice(1, 3, 4), at::ones({5, 1}, at::kDouble)));
    }
  }
}

TEST(Gemm, EqualsTheTensorProduct) {
  expect_product<float>(at::kFloat);
  expect_product<double>(at::kDouble);
}

}  // namespace
}  // namespace hardkuma
