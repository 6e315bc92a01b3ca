#include "hardkuma/nn/gemm.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

namespace hardkuma {
namespace {

// Sizes on both sides of where the product is cut into blocks of rows, and strides that leave gaps.
TEST(Gemm, EqualsTheTensorProduct) {
  at::manual_seed(1);
  for (const auto& [m, n, k] :
       std::vector<std::tuple<int64_t, int64_t, int64_t>>{{0, 3, 4},
                                                          {1, 7, 5},
                                                          {12, 600, 150},
                                                          {13, 600, 150},
                                                          {130, 200, 200},
                                                          {3, 1100, 1000}}) {
    for (const double beta : {0.0, 1.0}) {
      const at::Tensor a = at::randn({m, k + 3}, at::kDouble);
      const at::Tensor b = at::randn({k, n}, at::kDouble);
      at::Tensor c = at::randn({m, n + 5}, at::kDouble);
      at::Tensor expected = c.clone();
      expected.slice(1, 0, n) = at::mm(a.slice(1, 0, k), b) + beta * c.slice(1, 0, n);
      gemm(m, n, k, a.data_ptr<double>(), k + 3, b.data_ptr<double>(), n, beta,
           c.data_ptr<double>(), n + 5);
      EXPECT_TRUE(at::allclose(c, expected)) << m << "x" << n << "x" << k;
    }
  }
}

}  // namespace
}  // namespace hardkuma
