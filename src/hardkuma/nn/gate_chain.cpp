// chain_gates of gate.h: gate, sample and cell of every word in one pass over time.

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/cuda/on_gpu.h"
#include "hardkuma/nn/gate.h"
#include "hardkuma/nn/gemm.h"

namespace hardkuma {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

struct ChainSettings {
  GateKind kind;
  ShapeBounds bounds;
  Decision decision;
};

// Buffers have one row a word. A row of `gates` holds the K raw values and then the cell's gates.
// A row's z, P(z=0), P(z≠0) and derivatives lie in arrays of N, so a step's rows are contiguous.
template <typename Cell>
struct ChainFunction : Function<ChainFunction<Cell>> {
  static constexpr int64_t G = Cell::kGates;
  static constexpr int64_t R = Cell::kRecurrent;
  static constexpr int64_t C = Cell::kCarried;

  static variable_list forward(AutogradContext* context, const at::Tensor& states,
                               const c10::optional<at::Tensor>& maybe_u, const at::Tensor& w_states,
                               const at::Tensor& bias, const at::Tensor& w_chain,
                               const at::Tensor& w_z,
                               const c10::optional<at::Tensor>& maybe_out_bias,
                               const Packed& packed, const ChainSettings& settings) {
    const at::Tensor u = maybe_u.value_or(at::Tensor());
    const at::Tensor out_bias = maybe_out_bias ? maybe_out_bias->contiguous() : at::Tensor();
    const int64_t n = packed.rows();
    const int64_t s = w_chain.size(1);
    const int64_t k = raw_width(settings.kind);
    const at::Tensor input = states.contiguous();
    const at::Tensor rest = at::zeros({(G - R) * s}, input.options());  // gates without a bias
    at::Tensor gates = at::cat({bias, rest}).repeat({n, 1});            // [N, K + GS]
    const at::Tensor from_states = w_states.t().contiguous();
    const at::Tensor carried = at::empty({n, C * s}, gates.options());
    const at::Tensor hidden = at::empty({n, s}, gates.options());
    const at::Tensor z = at::empty({n}, gates.options());
    const at::Tensor p_zero = at::empty({n}, gates.options());
    const at::Tensor p_nonzero = at::empty({n}, gates.options());
    const at::Tensor slopes = u.defined() ? at::empty({k, 2, n}, gates.options()) : at::Tensor();
    const at::Tensor chain = w_chain.t().contiguous();  // [S, K + RS]
    const at::Tensor from_z = w_z.contiguous();
    const at::Tensor uniform = u.defined() ? u.contiguous() : u;
    AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "chain_gates", [&] {
      const int64_t width = k + G * s;
      const int64_t f = input.size(1);
      gemm(n, width, f, input.data_ptr<scalar_t>(), f, from_states.data_ptr<scalar_t>(), width,
           scalar_t(1), gates.data_ptr<scalar_t>(), width);
      const auto* wz = from_z.data_ptr<scalar_t>();
      CellForward<scalar_t> step{};
      step.h = s;
      step.ld_gates = width;
      step.ld_carried = C * s;
      step.ld_hidden = s;
      if (out_bias.defined()) step.out_bias = out_bias.data_ptr<scalar_t>();
      for (int64_t t = 0; t < packed.steps(); ++t) {
        const StepRows at = step_rows(packed, 0, t);
        scalar_t* row = gates.data_ptr<scalar_t>() + at.offset * width;
        gemm(at.previous_rows, k + R * s, s, hidden.data_ptr<scalar_t>() + at.previous_offset * s,
             s, chain.data_ptr<scalar_t>(), k + R * s, scalar_t(1), row, width);
        GateRows<scalar_t> draw{};
        draw.n = at.rows;
        draw.raw = row;
        draw.ld_raw = width;
        draw.z = z.data_ptr<scalar_t>() + at.offset;
        draw.p_zero = p_zero.data_ptr<scalar_t>() + at.offset;
        draw.p_nonzero = p_nonzero.data_ptr<scalar_t>() + at.offset;
        if (uniform.defined()) {
          draw.u = uniform.data_ptr<scalar_t>() + at.offset;
          for (int64_t i = 0; i < k; ++i) {
            draw.dz[i] = slopes.data_ptr<scalar_t>() + 2 * i * n + at.offset;
            draw.dp[i] = draw.dz[i] + n;
          }
          draw_gate_rows(settings.kind, settings.bounds, draw);
        } else {
          decide_gate_rows(settings.kind, settings.bounds, settings.decision, draw);
        }
        for (int64_t r = 0; r < at.rows; ++r) {
          scalar_t* __restrict__ cell = row + r * width + k;
          const scalar_t by = draw.z[r];
          for (int64_t j = 0; j < G * s; ++j) cell[j] += by * wz[j];
        }
        step.rows = at.rows;
        step.previous_rows = at.previous_rows;
        step.gates = row + k;
        step.previous = carried.data_ptr<scalar_t>() + at.previous_offset * C * s;
        step.carried = carried.data_ptr<scalar_t>() + at.offset * C * s;
        step.hidden = hidden.data_ptr<scalar_t>() + at.offset * s;
        Cell::forward(step);
      }
    });
    const at::Tensor raw = gates.slice(1, 0, k).contiguous();
    if (u.defined()) {
      context->save_for_backward(
          {input, w_states, w_chain, from_z, gates, carried, hidden, z, slopes});
      context->saved_data["lengths"] = packed.lengths;
      context->saved_data["has_out_bias"] = out_bias.defined();
    }
    return {raw, z, p_zero, p_nonzero};
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &states = saved[0], &w_states = saved[1], &w_chain = saved[2], &w_z = saved[3],
                     &gates = saved[4], &carried = saved[5], &hidden = saved[6], &z = saved[7],
                     &slopes = saved[8];
    const Packed packed(context->saved_data["lengths"].toIntVector());
    const int64_t n = packed.rows();
    const int64_t s = w_chain.size(1);
    const int64_t k = slopes.size(0);
    const at::Tensor grad_raw = grads[0].contiguous();
    const at::Tensor grad_z = grads[1].contiguous();
    const at::Tensor grad_p = (grads[3] - grads[2]).contiguous();
    const at::Tensor weights = w_chain.contiguous();
    const at::Tensor grad_gates = at::empty_like(gates);
    const at::Tensor grad_bias = at::zeros({k + R * s}, gates.options());
    const at::Tensor grad_out_bias = at::zeros({s}, gates.options());
    AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "chain_gates_backward", [&] {
      const int64_t width = k + G * s;
      const auto batch = static_cast<size_t>(packed.sequences());
      std::vector<scalar_t> grad_recurrent(batch * static_cast<size_t>(s));
      std::vector<scalar_t> grad_carried(batch * static_cast<size_t>(C * s));
      const auto* wz = w_z.data_ptr<scalar_t>();
      CellBackward<scalar_t> step{};
      step.h = s;
      step.ld_gates = step.ld_kept = width;
      step.ld_carried = C * s;
      step.ld_hidden = s;
      step.grad_recurrent = grad_recurrent.data();
      step.grad_carried = grad_carried.data();
      step.grad_bias = grad_bias.data_ptr<scalar_t>() + k;
      step.grad_out_bias = grad_out_bias.data_ptr<scalar_t>();
      for (int64_t t = packed.steps() - 1; t >= 0; --t) {
        const StepRows at = step_rows(packed, 0, t);
        scalar_t* row = grad_gates.data_ptr<scalar_t>() + at.offset * width;
        step.rows = at.rows;
        step.previous_rows = at.previous_rows;
        step.kept = gates.data_ptr<scalar_t>() + at.offset * width + k;
        step.previous = carried.data_ptr<scalar_t>() + at.previous_offset * C * s;
        step.carried = carried.data_ptr<scalar_t>() + at.offset * C * s;
        step.hidden = hidden.data_ptr<scalar_t>() + at.offset * s;
        step.grad_gates = row + k;
        Cell::backward(step);
        for (int64_t r = 0; r < at.rows; ++r) {
          const int64_t here = at.offset + r;
          scalar_t by_z = grad_z.data_ptr<scalar_t>()[here];
          const scalar_t* cell = row + r * width + k;
          for (int64_t j = 0; j < G * s; ++j) by_z += cell[j] * wz[j];
          const scalar_t by_p = grad_p.data_ptr<scalar_t>()[here];
          for (int64_t i = 0; i < k; ++i) {
            const scalar_t* slope = slopes.data_ptr<scalar_t>() + 2 * i * n + here;
            const scalar_t by_raw =
                grad_raw.data_ptr<scalar_t>()[here * k + i] + by_z * slope[0] + by_p * slope[n];
            row[r * width + i] = by_raw;
            grad_bias.data_ptr<scalar_t>()[i] += by_raw;
          }
        }
        gemm(at.previous_rows, s, k + R * s, row, width, weights.data_ptr<scalar_t>(), s,
             scalar_t(0), grad_recurrent.data(), s);
      }
    });
    const at::Tensor before = previous_states(hidden, packed, 0, 0, packed.steps());
    return {at::mm(grad_gates, w_states),
            at::Tensor(),
            at::mm(grad_gates.t(), states),
            grad_bias,
            at::mm(grad_gates.slice(1, 0, k + R * s).t(), before),
            at::mv(grad_gates.slice(1, k).t(), z),
            context->saved_data["has_out_bias"].toBool() ? grad_out_bias : at::Tensor(),
            at::Tensor(),
            at::Tensor()};
  }
};

template <typename Cell>
GateValues run_chain(const ChainSettings& settings, const at::Tensor& states, const at::Tensor& u,
                     const ChainWeights& w, const Packed& packed) {
  const variable_list out =
      ChainFunction<Cell>::apply(states, if_defined(u), w.w_states, w.bias, w.w_chain, w.w_z,
                                 if_defined(w.out_bias), packed, settings);
  return {out[0], out[1], out[2], out[3]};
}

}  // namespace

GateValues chain_gates(CellKind cell, GateKind kind, const ShapeBounds& bounds, Decision decision,
                       const at::Tensor& states, const at::Tensor& u, const ChainWeights& weights,
                       const Packed& packed) {
  const ChainSettings settings{kind, bounds, decision};
  if (states.size(0) != packed.rows() || (u.defined() && u.size(0) != packed.rows())) {
    throw InternalError("[chain_gates] {} words, {} states", packed.rows(), states.size(0));
  }
  const at::AutoGradMode grad(u.defined() && at::GradMode::is_enabled());
  if (packed.on_gpu()) {
    return on_gpu::chain_gates(cell, kind, bounds, decision, states, u, weights, packed);
  }
  if (cell == CellKind::Lstm) return run_chain<LstmCell>(settings, states, u, weights, packed);
  return run_chain<RcnnCell>(settings, states, u, weights, packed);
}

}  // namespace hardkuma
