#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "hardkuma/common/clock.h"
#include "hardkuma/nn/blas.h"
#include "hardkuma/nn/gemm.h"
#include "message.h"

namespace hardkuma {
namespace {

// The matrix product of a recurrence on one core, computed in three ways: with the weights in the
// layout of torch's LSTM, with their transpose, and by our gemm() in blocks of rows without copies.
struct Product {
  int64_t m;
  int64_t n;
  int64_t k;
  double transposed = 0.0;  // GFLOP/s
  double plain = 0.0;
  double ours = 0.0;
};

void bench_product(Product& product) {
  const at::Tensor a = at::rand({product.m, product.k});
  const at::Tensor w = at::rand({product.n, product.k});
  const at::Tensor w_t = w.t().contiguous();
  at::Tensor c = at::zeros({product.m, product.n});
  const int m = static_cast<int>(product.m);
  const int n = static_cast<int>(product.n);
  const int k = static_cast<int>(product.k);
  const float one = 1.0f;
  const auto blas = [&](char transposed, const at::Tensor& weights) {
    const char no = 'N';
    const int ld = static_cast<int>(weights.size(1));
    sgemm_(&transposed, &no, &n, &m, &k, &one, weights.data_ptr<float>(), &ld, a.data_ptr<float>(),
           &k, &one, c.data_ptr<float>(), &n);
  };
  const double flops = 2.0 * static_cast<double>(product.m * product.n * product.k);
  const auto measure = [&](double& best, auto&& run) {
    const int64_t repeats = std::max<int64_t>(1, static_cast<int64_t>(2e8 / flops));
    const Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < repeats; ++i) run();
    best = std::max(best, flops * static_cast<double>(repeats) / seconds_since(start) / 1e9);
  };
  for (int round = 0; round < 20; ++round) {
    measure(product.transposed, [&] { blas('T', w); });
    measure(product.plain, [&] { blas('N', w_t); });
    measure(product.ours, [&] {
      gemm(product.m, product.n, product.k, a.data_ptr<float>(), product.k, w_t.data_ptr<float>(),
           product.n, 1.0f, c.data_ptr<float>(), product.n);
    });
  }
}

}  // namespace

void bench_products() {
  at::set_num_threads(1);
  print("GFLOP/s of one core; m live sequences, weights n x k\n");
  print("{:>5}{:>6}{:>6}{:>16}{:>10}{:>10}\n", "m", "n", "k", "weights as kept", "plain",
        "in blocks");
  for (Product product : {Product{2, 600, 150}, Product{8, 600, 150}, Product{12, 600, 150},
                          Product{25, 600, 150}, Product{12, 150, 600}, Product{8, 256, 64},
                          Product{64, 200, 200}, Product{128, 200, 200}}) {
    bench_product(product);
    print("{:>5}{:>6}{:>6}{:>16.0f}{:>10.0f}{:>10.0f}\n", product.m, product.n, product.k,
          product.transposed, product.plain, product.ours);
  }
}

}  // namespace hardkuma
