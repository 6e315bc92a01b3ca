#pragma once

#include <ATen/core/Tensor.h>

namespace hardkuma {

/// Differentiable functions that stay finite where their textbook form does not. Each has a
/// hand-written derivative, since the gradient of a `where` over two formulas is NaN as soon as
/// the formula that was not chosen overflows.

/// log(1 - exp(-y)) for y > 0. Exact to rounding for tiny y (log y) and large y (-exp(-y)).
at::Tensor log1mexp(const at::Tensor& y);

/// log(-log(1 - exp(-y))) for y > 0. Goes to -y for large y, where 1 - exp(-y) rounds to 1.
at::Tensor log_neg_log1mexp(const at::Tensor& y);

/// log((1 - exp(-x)) / x) for x >= 0; 0 at 0.
at::Tensor log_expm1_ratio(const at::Tensor& x);

/// log(p / (1 - p)) of one number.
double logit(double p);

/// Nodes and weights of the n-point Gauss–Legendre rule on [0, 1], as two double tensors [n].
std::pair<at::Tensor, at::Tensor> gauss_legendre(int n);

}  // namespace hardkuma
