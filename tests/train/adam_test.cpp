#include "hardkuma/train/adam.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include <cmath>

namespace hardkuma {
namespace {

std::vector<at::Tensor> parameters() {
  at::manual_seed(3);
  return {at::randn({300, 130}), at::randn({17}), at::randn({2, 5, 3})};
}

// torch's optimiser over the summed and clipped gradient is the oracle.
TEST(Adam, MakesTheStepsOfTorch) {
  for (const int64_t count : {1, 2, 3}) {
    Workers workers(count);
    std::vector<at::Tensor> ours = parameters();
    std::vector<at::Tensor> theirs;
    for (const at::Tensor& p : ours) theirs.push_back(p.clone().requires_grad_(true));
    Adam adam(ours, 1e-2);
    torch::optim::Adam oracle(theirs, torch::optim::AdamOptions(0.01).weight_decay(1e-2));
    for (int step = 0; step < 12; ++step) {
      std::vector<std::vector<at::Tensor>> gradients(3);
      for (size_t w = 0; w < 2; ++w) {  // the third has no examples
        for (const at::Tensor& p : ours) gradients[w].push_back(0.1 * at::randn(p.sizes()));
      }
      if (step < 4) gradients[0][1] = gradients[1][1] = at::Tensor();  // not used yet
      if (step == 6) gradients[0][2] = at::Tensor();
      double squares = 0.0;
      const at::NoGradGuard no_grad;
      for (size_t p = 0; p < ours.size(); ++p) {
        at::Tensor sum;
        for (size_t w = 0; w < 2; ++w) {
          if (!gradients[w][p].defined()) continue;
          sum = sum.defined() ? sum + gradients[w][p] : gradients[w][p];
        }
        theirs[p].mutable_grad() = sum;
        if (sum.defined()) squares += (sum * sum).sum().item<double>();
      }
      const double norm = std::sqrt(squares);
      const double clip = step % 2 == 0 ? 5.0 : 1e9;
      for (at::Tensor& p : theirs) {
        if (norm > clip && p.grad().defined()) p.mutable_grad() = p.grad() * (clip / norm);
      }
      oracle.step();
      EXPECT_NEAR(adam.step(gradients, 0.01, clip, workers), norm, 1e-4 * norm);
    }
    for (size_t p = 0; p < ours.size(); ++p) {
      EXPECT_LT((ours[p] - theirs[p]).abs().max().item<double>(), 1e-5) << p;
    }
  }
}

TEST(Adam, ScalesTheLearningRateOfEachParameter) {
  Workers workers(1);
  std::vector<at::Tensor> plain = parameters();
  std::vector<at::Tensor> scaled = parameters();
  const std::vector<at::Tensor> start = parameters();
  Adam a(plain, 0.0);
  Adam b(scaled, 0.0);
  b.set_scales({0.25, 1.0, 0.0});
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& p : plain) gradients.push_back(at::randn(p.sizes()));
  a.step({gradients}, 0.01, 1e9, workers);
  b.step({gradients}, 0.01, 1e9, workers);
  EXPECT_TRUE(at::allclose(scaled[0] - start[0], 0.25 * (plain[0] - start[0]), 1e-3, 1e-6));
  EXPECT_TRUE(at::equal(scaled[1], plain[1]));
  EXPECT_TRUE(at::equal(scaled[2], start[2]));
}

TEST(Adam, ChangesNothingWhenAGradientIsNotFinite) {
  Workers workers(2);
  std::vector<at::Tensor> ours = parameters();
  std::vector<at::Tensor> before;
  for (const at::Tensor& p : ours) before.push_back(p.clone());
  Adam adam(ours, 0.0);
  std::vector<at::Tensor> bad = {at::zeros({300, 130}), at::full({17}, NAN), at::zeros({2, 5, 3})};
  EXPECT_FALSE(std::isfinite(adam.step({bad}, 0.1, 5.0, workers)));
  for (size_t p = 0; p < ours.size(); ++p) EXPECT_TRUE(at::equal(ours[p], before[p]));
  EXPECT_EQ(adam.states()[0].steps, 0);
}

}  // namespace
}  // namespace hardkuma
