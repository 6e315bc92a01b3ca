#include "hardkuma/dist/stable.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

namespace hardkuma {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

constexpr double kLn2 = 0.6931471805599453;

at::Tensor log1mexp_value(const at::Tensor& y) {
  return at::where(y < kLn2, at::log(-at::expm1(-y)), at::log1p(-at::exp(-y)));
}

struct Log1mExp : Function<Log1mExp> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& y) {
    context->save_for_backward({y});
    return log1mexp_value(y);
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor y = context->get_saved_variables()[0];
    return {grads[0] / at::expm1(y)};
  }
};

// Beyond this, log(-log1p(-exp(-y))) = -y + exp(-y)/2 + O(exp(-2y)) is exact in double.
constexpr double kLargeY = 20.0;

struct LogNegLog1mExp : Function<LogNegLog1mExp> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& y) {
    context->save_for_backward({y});
    return at::where(y > kLargeY, -y + 0.5 * at::exp(-y), at::log(-log1mexp_value(y)));
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor y = context->get_saved_variables()[0];
    const at::Tensor slope = 1.0 / (at::expm1(y) * log1mexp_value(y));
    return {grads[0] * at::where(y > kLargeY, at::full_like(y, -1.0), slope)};
  }
};

// Below this the series -x/2 + x²/24 is exact to double rounding relative to 1.
constexpr double kSmallX = 1e-3;

struct LogExpm1Ratio : Function<LogExpm1Ratio> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    const at::Tensor direct = at::log(-at::expm1(-x) / x);
    return at::where(x < kSmallX, -0.5 * x + x * x / 24.0, direct);
  }
  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor x = context->get_saved_variables()[0];
    const at::Tensor direct = 1.0 / at::expm1(x) - 1.0 / x;
    return {grads[0] * at::where(x < kSmallX, -0.5 + x / 12.0, direct)};
  }
};

}  // namespace

at::Tensor log1mexp(const at::Tensor& y) {
  return Log1mExp::apply(y);
}

at::Tensor log_neg_log1mexp(const at::Tensor& y) {
  return LogNegLog1mExp::apply(y);
}

at::Tensor log_expm1_ratio(const at::Tensor& x) {
  return LogExpm1Ratio::apply(x);
}

double logit(double p) {
  return std::log(p) - std::log1p(-p);
}

std::pair<at::Tensor, at::Tensor> gauss_legendre(int n) {
  at::Tensor nodes = at::empty({n}, at::kDouble);
  at::Tensor weights = at::empty({n}, at::kDouble);
  auto* node = nodes.data_ptr<double>();
  auto* weight = weights.data_ptr<double>();
  for (int i = 0; i < n; ++i) {
    // Newton from the Chebyshev guess; p is P_n(x), d its derivative.
    double x = std::cos(M_PI * (i + 0.75) / (n + 0.5));
    double d = 1.0;
    for (int iteration = 0; iteration < 100; ++iteration) {
      double p = 1.0;
      double previous = 0.0;
      for (int k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * previous) / k;
        previous = p;
        p = next;
      }
      d = n * (x * p - previous) / (x * x - 1.0);
      const double step = p / d;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    node[n - 1 - i] = 0.5 * (1.0 + x);
    weight[n - 1 - i] = 1.0 / ((1.0 - x * x) * d * d);
  }
  return {nodes, weights};
}

}  // namespace hardkuma
