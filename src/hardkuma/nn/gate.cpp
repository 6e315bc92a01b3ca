#include "hardkuma/nn/gate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "hardkuma/nn/cuda/on_gpu.h"

namespace hardkuma {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

GateValues empty_gates(const at::Tensor& raw) {
  const auto vector = [&] { return at::empty({raw.size(0)}, raw.options()); };
  return {raw, vector(), vector(), vector()};
}

// The arrays of N gates, in the form that kernels take.
template <typename T>
GateRows<T> gate_rows(const at::Tensor& raw, const at::Tensor& u, const GateValues& out,
                      const at::Tensor& slopes) {
  GateRows<T> rows{};
  rows.n = raw.size(0);
  rows.raw = raw.data_ptr<T>();
  rows.ld_raw = raw.stride(0);
  if (u.defined()) rows.u = u.data_ptr<T>();
  rows.z = out.z.data_ptr<T>();
  rows.p_zero = out.p_zero.data_ptr<T>();
  rows.p_nonzero = out.p_nonzero.data_ptr<T>();
  for (int64_t k = 0; slopes.defined() && k < raw.size(1); ++k) {
    rows.dz[k] = slopes.data_ptr<T>() + 2 * k * rows.n;
    rows.dp[k] = rows.dz[k] + rows.n;
  }
  return rows;
}

// The first weight of the salience in raw value k. A factor of about ten between the odds of the
// most and the least salient words; HardKuma's b, which shuts gates, has the opposite sign.
double salience_weight(GateKind kind, int64_t k) {
  if (kind != GateKind::HardKuma) return 0.7;
  return k == 0 ? 0.2 : -0.7;
}

// Samples if the rows have a u, else decides.
template <typename T>
void run_gates(const at::Tensor& raw, GateKind kind, const ShapeBounds& bounds, Decision decision,
               const GateRows<T>& rows) {
  if (raw.is_cuda()) {
    cuda::gates(kind, bounds, decision, rows, on_gpu::stream());
  } else if (rows.u != nullptr) {
    draw_gate_rows(kind, bounds, rows);
  } else {
    decide_gate_rows(kind, bounds, decision, rows);
  }
}

struct SampleGates : Function<SampleGates> {
  static variable_list forward(AutogradContext* context, const at::Tensor& raw, const at::Tensor& u,
                               GateKind kind, const ShapeBounds& bounds) {
    const at::Tensor in = raw.contiguous();
    const at::Tensor uniform = u.contiguous();
    const GateValues out = empty_gates(in);
    const at::Tensor slopes = at::empty({in.size(1), 2, in.size(0)}, in.options());
    AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "sample_gates", [&] {
      run_gates(in, kind, bounds, Decision::Argmax, gate_rows<scalar_t>(in, uniform, out, slopes));
    });
    context->save_for_backward({slopes});
    return {out.z, out.p_zero, out.p_nonzero};
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor slopes = context->get_saved_variables()[0];  // [K, 2, N]
    const at::Tensor by_p = grads[2] - grads[1];
    const at::Tensor grad = slopes.select(1, 0) * grads[0] + slopes.select(1, 1) * by_p;
    return {grad.t().contiguous(), at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

GateValues sample_gates(GateKind kind, const ShapeBounds& bounds, const at::Tensor& raw,
                        const at::Tensor& u) {
  const variable_list out = SampleGates::apply(raw, u, kind, bounds);
  return {raw, out[0], out[1], out[2]};
}

GateValues decide_gates(GateKind kind, const ShapeBounds& bounds, const at::Tensor& raw,
                        Decision decision) {
  const at::Tensor in = raw.detach().contiguous();
  const GateValues out = empty_gates(in);
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "decide_gates", [&] {
    run_gates(in, kind, bounds, decision, gate_rows<scalar_t>(in, {}, out, {}));
  });
  return out;
}

GateImpl::GateImpl(const GateOptions& options, RandomKey key)
    : options_(options), drawn_(options.bounds) {
  const int64_t f = options.in_features;
  const int64_t s = options.chain_units;
  shapes = register_module("shapes", Linear(LinearOptions{f + s, raw_width(options.kind)}, key));
  {
    const at::NoGradGuard no_grad;
    for (int64_t k = 0; k < raw_width(options.kind); ++k) {
      shapes->bias[k] = options.biases[static_cast<size_t>(k)];
      if (options.salience) shapes->weight[k][f - 1] = salience_weight(options.kind, k);
    }
  }
  if (s == 0) return;
  const bool lstm = options.chain_cell == CellKind::Lstm;
  const int64_t g = lstm ? LstmCell::kGates : RcnnCell::kGates;
  const int64_t r = lstm ? LstmCell::kRecurrent : RcnnCell::kRecurrent;
  w_ih_ = register_parameter("chain_w_ih", xavier_uniform({g * s, f + 1}, f + 1, s, key.with(1)));
  w_hh_ = register_parameter("chain_w_hh", xavier_uniform({r * s, s}, s, s, key.with(2)));
  if (lstm) {
    b_ih_ = register_parameter("chain_b_ih", at::zeros({g * s}));
    b_hh_ = register_parameter("chain_b_hh", at::zeros({g * s}));
  } else {
    b_gate_ = register_parameter("chain_b_gate", at::zeros({s}));
    b_out_ = register_parameter("chain_b_out", at::zeros({s}));
  }
}

ChainWeights GateImpl::chain_weights() const {
  const int64_t f = options_.in_features;
  const int64_t s = options_.chain_units;
  const at::Tensor cell_bias = b_gate_.defined() ? b_gate_ : b_ih_ + b_hh_;
  return {at::cat({shapes->weight.slice(1, 0, f), w_ih_.slice(1, 0, f)}),
          at::cat({shapes->bias, cell_bias}), at::cat({shapes->weight.slice(1, f, f + s), w_hh_}),
          w_ih_.select(1, f), b_out_};
}

GateValues GateImpl::sample(const at::Tensor& states, const at::Tensor& u, const Packed& packed) {
  if (!dependent()) return sample_gates(options_.kind, drawn_, shapes(states), u);
  return chain_gates(options_.chain_cell, options_.kind, drawn_, Decision::Argmax, states, u,
                     chain_weights(), packed);
}

GateValues GateImpl::decide(const at::Tensor& states, Decision decision, const Packed& packed) {
  const at::NoGradGuard no_grad;
  if (!dependent()) return decide_gates(options_.kind, options_.bounds, shapes(states), decision);
  return chain_gates(options_.chain_cell, options_.kind, options_.bounds, decision, states, {},
                     chain_weights(), packed);
}

at::Tensor gate_bounds_penalty(GateKind kind, const at::Tensor& raw) {
  const std::vector<double> low_high = bounds_range(kind);
  if (raw.is_cuda()) return on_gpu::bounds_penalty(raw, low_high);
  at::Tensor sum;
  for (int64_t k = 0; k < raw_width(kind); ++k) {
    const at::Tensor x = raw.select(1, k);
    const auto i = static_cast<size_t>(2 * k);
    const at::Tensor excess = at::relu(x - low_high[i + 1]) + at::relu(low_high[i] - x);
    sum = k == 0 ? excess * excess : sum + excess * excess;
  }
  return sum;
}

}  // namespace hardkuma
