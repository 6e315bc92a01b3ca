#include "hardkuma/nn/never_empty.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>

#include "hardkuma/nn/cuda/on_gpu.h"

namespace hardkuma {
namespace {

constexpr double kLeastNoise = 0.05;  // below it, rounding could still draw a zero
constexpr double kMostNoise = 1.0 - 1e-7;
constexpr double kLeastProbability = 1e-30;

}  // namespace

at::Tensor likeliest_of_empty(const at::Tensor& z, const at::Tensor& p_zero, const Packed& packed) {
  const at::Tensor selected = z.detach().contiguous();
  const at::Tensor p = p_zero.detach().contiguous();
  if (packed.on_gpu()) return on_gpu::likeliest_of_empty(selected, p, packed);
  at::Tensor out;
  AT_DISPATCH_FLOATING_TYPES(p.scalar_type(), "likeliest_of_empty", [&] {
    const auto* value = selected.data_ptr<scalar_t>();
    const auto* zero = p.data_ptr<scalar_t>();
    for (int64_t i = 0; i < packed.sequences(); ++i) {
      const int64_t length = packed.lengths[static_cast<size_t>(i)];
      int64_t best = packed.row(0, i);
      bool empty = true;
      for (int64_t t = 0; empty && t < length; ++t) {
        const int64_t row = packed.row(t, i);
        empty = value[row] == 0;
        if (zero[row] < zero[best]) best = row;
      }
      if (!empty) continue;
      if (!out.defined()) out = at::zeros(p.sizes(), p.options());
      out.data_ptr<scalar_t>()[best] = 1;
    }
  });
  return out;
}

at::Tensor nonzero_noise(const at::Tensor& u, const at::Tensor& p_zero, const at::Tensor& marked) {
  const at::Tensor p = p_zero.detach();
  const at::Tensor inside = p + (1 - p) * (kLeastNoise + (1 - kLeastNoise) * u);
  return at::where(marked != 0, at::clamp_max(inside, kMostNoise), u);
}

at::Tensor empty_rate(const at::Tensor& p_zero, const Packed& packed) {
  const at::Tensor lengths =
      (packed.device ? packed.device->lengths : at::tensor(packed.lengths, at::kLong))
          .to(p_zero.scalar_type());
  const at::Tensor mean =
      packed.mean_by_sequence(at::log(at::clamp_min(p_zero, kLeastProbability)));
  return at::exp(mean * lengths) / lengths;
}

}  // namespace hardkuma
