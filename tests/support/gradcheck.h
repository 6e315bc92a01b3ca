#pragma once

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace hardkuma::test {

/// Compares the gradient of Σ weight·f(inputs) with central differences, in double, element by
/// element. Inputs are leaves made here; `f` must be a function of them alone.
inline void expect_gradients(const std::function<at::Tensor(const std::vector<at::Tensor>&)>& f,
                             const std::vector<at::Tensor>& inputs, double tolerance = 1e-6,
                             double step = 1e-6) {
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs) {
    ASSERT_EQ(input.scalar_type(), at::kDouble);
    leaves.push_back(input.detach().clone().requires_grad_(true));
  }
  const at::Tensor out = f(leaves);
  // Unequal weights, so that errors cannot cancel.
  const at::Tensor weight = 0.5 + at::arange(out.numel(), at::kDouble).reshape(out.sizes()) / 7.0;
  const auto grads =
      torch::autograd::grad({(out * weight).sum()}, leaves, {}, c10::nullopt, false, true);
  const auto value = [&](size_t which, int64_t element, double delta) {
    std::vector<at::Tensor> moved;
    for (const at::Tensor& input : inputs) moved.push_back(input.detach().clone());
    moved[which].view({-1})[element] += delta;
    return (f(moved) * weight).sum().item<double>();
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (int64_t j = 0; j < inputs[i].numel(); ++j) {
      const double size = std::max(1.0, std::abs(inputs[i].view({-1})[j].item<double>()));
      const double h = step * size;
      const double numeric = (value(i, j, h) - value(i, j, -h)) / (2.0 * h);
      const double analytic = grads[i].defined() ? grads[i].view({-1})[j].item<double>() : 0.0;
      EXPECT_NEAR(analytic, numeric, tolerance * std::max(1.0, std::abs(numeric)))
          << "input " << i << ", element " << j;
    }
  }
}

inline at::Tensor doubles(const std::vector<double>& values) {
  return at::tensor(values, at::TensorOptions().dtype(at::kDouble));
}

}  // namespace hardkuma::test
