#include "hardkuma/nn/least_words.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>

namespace hardkuma {
namespace {

constexpr double kLeastNoise = 0.05;  // below it, rounding could still draw a zero
constexpr double kMostNoise = 1.0 - 1e-7;

at::Tensor on_cpu(const at::Tensor& values, at::ScalarType type) {
  return values.detach().to(at::kCPU, type).contiguous();
}

}  // namespace

int64_t least_words(double share, int64_t words) {
  if (share <= 0.0 || words == 0) return 0;
  // A hair more, so that a tenth of ten words is one.
  return std::max<int64_t>(1, static_cast<int64_t>(share * static_cast<double>(words) + 1e-9));
}

at::Tensor lacking_words(const at::Tensor& z, const at::Tensor& p_zero, const Packed& packed,
                         double share) {
  const at::Tensor values = on_cpu(z, at::kDouble);
  const at::Tensor zeros = on_cpu(p_zero, at::kDouble);
  const auto* value = values.data_ptr<double>();
  const auto* zero = zeros.data_ptr<double>();
  std::vector<int64_t> rows;
  std::vector<int64_t> left;
  for (int64_t i = 0; i < packed.sequences(); ++i) {
    const int64_t length = packed.lengths[static_cast<size_t>(i)];
    left.clear();
    for (int64_t t = 0; t < length; ++t) {
      if (value[packed.row(t, i)] == 0.0) left.push_back(packed.row(t, i));
    }
    const int64_t lacks = least_words(share, length) - (length - static_cast<int64_t>(left.size()));
    if (lacks <= 0) continue;
    std::partial_sort(left.begin(), left.begin() + lacks, left.end(), [&](int64_t a, int64_t b) {
      return zero[a] < zero[b] || (zero[a] == zero[b] && a < b);
    });
    rows.insert(rows.end(), left.begin(), left.begin() + lacks);
  }
  if (rows.empty()) return {};
  at::Tensor out = at::zeros(p_zero.sizes(), p_zero.options().requires_grad(false));
  return out.index_fill_(0, at::tensor(rows, at::kLong).to(out.device()), 1.0);
}

at::Tensor nonzero_noise(const at::Tensor& u, const at::Tensor& p_zero, const at::Tensor& marked) {
  const at::Tensor p = p_zero.detach();
  const at::Tensor inside = p + (1 - p) * (kLeastNoise + (1 - kLeastNoise) * u);
  return at::where(marked != 0, at::clamp_max(inside, kMostNoise), u);
}

// `some[n]` is the probability of n words so far, for n below the floor.
double expected_lack(const std::vector<double>& p_zero, int64_t least) {
  if (least <= 0) return 0.0;
  std::vector<double> some(static_cast<size_t>(least), 0.0);
  some[0] = 1.0;
  for (const double p : p_zero) {
    for (size_t n = some.size(); n-- > 0;) {
      some[n] = some[n] * p + (n == 0 ? 0.0 : some[n - 1] * (1.0 - p));
    }
  }
  double out = 0.0;
  for (size_t n = 0; n < some.size(); ++n)
    out += some[n] * static_cast<double>(least - static_cast<int64_t>(n));
  return out;
}

at::Tensor lacking_rate(const at::Tensor& p_zero, const Packed& packed, double share) {
  const at::Tensor zeros = on_cpu(p_zero, at::kDouble);
  const auto* zero = zeros.data_ptr<double>();
  std::vector<double> out;
  std::vector<double> of_text;
  for (int64_t i = 0; i < packed.sequences(); ++i) {
    const int64_t length = packed.lengths[static_cast<size_t>(i)];
    of_text.clear();
    for (int64_t t = 0; t < length; ++t) of_text.push_back(zero[packed.row(t, i)]);
    out.push_back(expected_lack(of_text, least_words(share, length)) / static_cast<double>(length));
  }
  return at::tensor(out, at::kDouble).to(p_zero.options().requires_grad(false));
}

}  // namespace hardkuma
