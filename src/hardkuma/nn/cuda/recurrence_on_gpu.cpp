#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include "hardkuma/nn/cuda/on_gpu.h"
#include "hardkuma/nn/cuda/tensors.h"

namespace hardkuma::on_gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

at::TensorOptions integers(const at::Tensor& x, at::ScalarType type) {
  return like(x).dtype(type);
}

cuda::Cell cell_of(CellKind kind) {
  return kind == CellKind::Lstm ? cuda::Cell::Lstm : cuda::Cell::Rcnn;
}

struct Sizes {
  int64_t g, r, c, k;
};

Sizes sizes_of(CellKind kind) {
  if (kind == CellKind::Lstm) {
    return {LstmCell::kGates, LstmCell::kRecurrent, LstmCell::kCarried, LstmCell::kKept};
  }
  return {RcnnCell::kGates, RcnnCell::kRecurrent, RcnnCell::kCarried, RcnnCell::kKept};
}

struct Recurrence : Function<Recurrence> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x_given,
                            const c10::optional<at::Tensor>& maybe_scale,
                            const c10::optional<at::Tensor>& maybe_fade, const at::Tensor& w_ih,
                            const at::Tensor& w_hh, const at::Tensor& bias_given,
                            const c10::optional<at::Tensor>& maybe_out_bias,
                            const at::Tensor& offsets, const at::Tensor& lengths,
                            const at::Tensor& starts, int64_t kind, bool final_only, bool skip,
                            bool room) {
    const auto cell = static_cast<CellKind>(kind);
    const Sizes size = sizes_of(cell);
    const at::Tensor x = x_given.contiguous();
    const at::Tensor scale = maybe_scale ? maybe_scale->contiguous() : at::Tensor();
    const at::Tensor fade = maybe_fade ? maybe_fade->contiguous() : at::Tensor();
    const at::Tensor bias = bias_given.contiguous();
    const at::Tensor out_bias = maybe_out_bias ? maybe_out_bias->contiguous() : at::Tensor();
    const int64_t n = x.size(0);
    const int64_t h = w_hh.size(2);
    const int64_t b = lengths.size(0);
    const Layout layout{offsets, lengths, starts};
    const at::Tensor projected = at::mm(x, w_ih.t());  // [N, 2GH]
    const at::Tensor recurrent = w_hh.transpose(1, 2).contiguous();
    const at::Tensor kept = at::empty({n, 2, size.k * h}, like(x));
    const at::Tensor carried = at::empty({n, 2, size.c * h}, like(x));
    const at::Tensor hidden = buffer(room, {n, 2 * h}, x);
    const at::Tensor cell_carried = fade.defined() ? at::empty_like(carried) : carried;
    const at::Tensor cell_hidden = fade.defined() ? at::empty_like(hidden) : hidden;
    const at::Tensor final = at::zeros({b, 2 * h}, like(x));
    at::Tensor rows;
    at::Tensor counts = lengths;
    if (skip) {
      rows = at::empty({n}, integers(x, at::kInt));
      counts = at::empty({b}, integers(x, at::kInt));
    }
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bi_recurrence", [&] {
      if (skip) {
        cuda::select_nonzero(sequences(layout.data()),
                             (fade.defined() ? fade : scale).data_ptr<scalar_t>(),
                             rows.data_ptr<int32_t>(), counts.data_ptr<int32_t>(), stream());
      }
      cuda::RecurrenceForward<scalar_t> p{};
      p.at = sequences(layout.data());
      p.read = {pointer<int32_t>(rows), counts.data_ptr<int32_t>()};
      p.h = h;
      p.projected = projected.data_ptr<scalar_t>();
      p.scale = pointer<scalar_t>(scale);
      p.fade = pointer<scalar_t>(fade);
      p.bias = bias.data_ptr<scalar_t>();
      p.out_bias = pointer<scalar_t>(out_bias);
      p.recurrent = recurrent.data_ptr<scalar_t>();
      p.kept = kept.data_ptr<scalar_t>();
      p.carried = carried.data_ptr<scalar_t>();
      p.hidden = hidden.data_ptr<scalar_t>();
      p.cell_carried = cell_carried.data_ptr<scalar_t>();
      p.cell_hidden = cell_hidden.data_ptr<scalar_t>();
      p.final = final.data_ptr<scalar_t>();
      cuda::recurrence_forward(cell_of(cell), p, stream());
    });
    const bool needs_scale = maybe_scale && maybe_scale->requires_grad();
    context->save_for_backward({offsets, lengths, starts, x, scale, w_ih, w_hh, kept, carried,
                                hidden, rows, counts, needs_scale ? projected : at::Tensor(), fade,
                                cell_carried, cell_hidden});
    context->saved_data["cell"] = kind;
    context->saved_data["final_only"] = final_only;
    context->saved_data["room"] = room || skip;
    context->saved_data["needs_x"] = x_given.requires_grad();
    context->saved_data["has_out_bias"] = out_bias.defined();
    return final_only ? final : hidden;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[3], &scale = saved[4], &w_ih = saved[5], &w_hh = saved[6],
                     &kept = saved[7], &carried = saved[8], &hidden = saved[9], &rows = saved[10],
                     &counts = saved[11], &projected = saved[12], &fade = saved[13],
                     &cell_carried = saved[14], &cell_hidden = saved[15];
    const auto cell = static_cast<CellKind>(context->saved_data["cell"].toInt());
    const bool final_only = context->saved_data["final_only"].toBool();
    const Sizes size = sizes_of(cell);
    const int64_t n = x.size(0);
    const int64_t h = w_hh.size(2);
    const int64_t b = counts.size(0);
    const at::Tensor grad = grads[0].contiguous();
    const at::Tensor weights = w_hh.contiguous();
    // Rows that were not read have no gradient.
    const bool room = context->saved_data["room"].toBool();
    const at::Tensor grad_gates = buffer(room, {n, 2, size.g * h}, x);
    const at::Tensor previous = buffer(room, {2, n, h}, x);
    const at::Tensor slopes = fade.defined() ? buffer(room, {n, 2 * h}, x) : at::Tensor();
    const int64_t blocks = x.scalar_type() == at::kDouble
                               ? cuda::recurrence_blocks<double>(cell_of(cell), b, h)
                               : cuda::recurrence_blocks<float>(cell_of(cell), b, h);
    const at::Tensor biases = at::empty({blocks, 2 * (size.r + 1) * h}, like(x));
    const at::Tensor bias = at::empty({2, (size.r + 1) * h}, like(x));
    at::Tensor grad_x, grad_scale;
    const at::Tensor flat = grad_gates.view({n, 2 * size.g * h});
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bi_recurrence_backward", [&] {
      cuda::RecurrenceBackward<scalar_t> p{};
      p.at = sequences(saved.data());
      p.read = {pointer<int32_t>(rows), counts.data_ptr<int32_t>()};
      p.h = h;
      p.rows = n;
      p.w_hh = weights.data_ptr<scalar_t>();
      p.kept = kept.data_ptr<scalar_t>();
      p.carried = carried.data_ptr<scalar_t>();
      p.hidden = hidden.data_ptr<scalar_t>();
      p.fade = pointer<scalar_t>(fade);
      p.cell_carried = cell_carried.data_ptr<scalar_t>();
      p.cell_hidden = cell_hidden.data_ptr<scalar_t>();
      p.grad_fade = pointer<scalar_t>(slopes);
      p.grad_hidden = final_only ? nullptr : grad.data_ptr<scalar_t>();
      p.grad_final = final_only ? grad.data_ptr<scalar_t>() : nullptr;
      p.grad_gates = grad_gates.data_ptr<scalar_t>();
      p.previous = previous.data_ptr<scalar_t>();
      p.grad_bias = biases.data_ptr<scalar_t>();
      cuda::recurrence_backward(cell_of(cell), p, stream());
      cuda::column_sums(biases.size(0), biases.size(1), biases.data_ptr<scalar_t>(), biases.size(1),
                        bias.data_ptr<scalar_t>(), stream());
      if (projected.defined()) {
        grad_scale = at::empty({n}, like(x));
        cuda::row_dots(n, flat.size(1), flat.data_ptr<scalar_t>(), projected.data_ptr<scalar_t>(),
                       grad_scale.data_ptr<scalar_t>(), stream());
      }
    });
    const at::Tensor by = scale.defined() ? scale.unsqueeze(1) : at::Tensor();
    const at::Tensor grad_w_ih = at::mm(flat.t(), by.defined() ? x * by : x);
    const at::Tensor grad_w_hh =
        at::bmm(grad_gates.slice(2, 0, size.r * h).permute({1, 2, 0}), previous);
    if (context->saved_data["needs_x"].toBool()) {
      grad_x = at::mm(flat, w_ih);
      if (by.defined()) grad_x = grad_x * by;
    }
    const bool has_out_bias = context->saved_data["has_out_bias"].toBool();
    return {grad_x,
            grad_scale,
            slopes.defined() ? slopes.sum(1) : at::Tensor(),
            grad_w_ih,
            grad_w_hh,
            bias.slice(1, 0, size.r * h),
            has_out_bias ? bias.slice(1, size.r * h) : at::Tensor(),
            {},
            {},
            {},
            {},
            {},
            {},
            {}};
  }
};

struct Chain : Function<Chain> {
  static variable_list forward(AutogradContext* context, const at::Tensor& states,
                               const c10::optional<at::Tensor>& maybe_u, const at::Tensor& w_states,
                               const at::Tensor& bias, const at::Tensor& w_chain,
                               const at::Tensor& w_z_given,
                               const c10::optional<at::Tensor>& maybe_out_bias,
                               const at::Tensor& offsets, const at::Tensor& lengths,
                               const at::Tensor& starts, int64_t kind_of_cell, int64_t kind,
                               const ShapeBounds& bounds, int64_t decision, bool room) {
    const auto cell = static_cast<CellKind>(kind_of_cell);
    const Sizes size = sizes_of(cell);
    const int64_t n = states.size(0);
    const int64_t s = w_chain.size(1);
    const int64_t k = raw_width(static_cast<GateKind>(kind));
    const Layout layout{offsets, lengths, starts};
    const at::Tensor input = states.contiguous();
    const at::Tensor rest = at::zeros({(size.g - size.r) * s}, like(input));
    const at::Tensor gates = at::addmm(at::cat({bias, rest}), input, w_states.t());
    const at::Tensor chain = w_chain.t().contiguous();
    const at::Tensor w_z = w_z_given.contiguous();
    const at::Tensor out_bias = maybe_out_bias ? maybe_out_bias->contiguous() : at::Tensor();
    const at::Tensor u = maybe_u ? maybe_u->contiguous() : at::Tensor();
    const at::Tensor carried = at::empty({n, size.c * s}, like(input));
    const at::Tensor hidden = at::empty({n, s}, like(input));
    const at::Tensor z = buffer(room, {n}, input);
    const at::Tensor p_zero = buffer(room, {n}, input);
    const at::Tensor p_nonzero = buffer(room, {n}, input);
    const at::Tensor slopes = u.defined() ? at::empty({k, 2, n}, like(input)) : at::Tensor();
    AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "chain_gates", [&] {
      cuda::ChainForward<scalar_t> p{};
      p.at = sequences(layout.data());
      p.n = n;
      p.s = s;
      p.kind = static_cast<GateKind>(kind);
      p.bounds = bounds;
      p.decision = static_cast<Decision>(decision);
      p.w_chain = chain.data_ptr<scalar_t>();
      p.w_z = w_z.data_ptr<scalar_t>();
      p.out_bias = pointer<scalar_t>(out_bias);
      p.u = pointer<scalar_t>(u);
      p.gates = gates.data_ptr<scalar_t>();
      p.carried = carried.data_ptr<scalar_t>();
      p.hidden = hidden.data_ptr<scalar_t>();
      p.z = z.data_ptr<scalar_t>();
      p.p_zero = p_zero.data_ptr<scalar_t>();
      p.p_nonzero = p_nonzero.data_ptr<scalar_t>();
      p.slopes = pointer<scalar_t>(slopes);
      cuda::chain_forward(cell_of(cell), p, stream());
    });
    if (u.defined()) {
      context->save_for_backward({offsets, lengths, starts, input, w_states, w_chain, w_z, gates,
                                  carried, hidden, z, slopes});
      context->saved_data["cell"] = kind_of_cell;
      context->saved_data["room"] = room;
      context->saved_data["has_out_bias"] = out_bias.defined();
    }
    return {gates.slice(1, 0, k).contiguous(), z, p_zero, p_nonzero};
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &states = saved[3], &w_states = saved[4], &w_chain = saved[5], &w_z = saved[6],
                     &gates = saved[7], &carried = saved[8], &hidden = saved[9], &z = saved[10],
                     &slopes = saved[11];
    const auto cell = static_cast<CellKind>(context->saved_data["cell"].toInt());
    const Sizes size = sizes_of(cell);
    const int64_t n = gates.size(0);
    const int64_t s = w_chain.size(1);
    const int64_t k = slopes.size(0);
    const at::Tensor grad_raw = grads[0].contiguous();
    const at::Tensor grad_z = grads[1].contiguous();
    const at::Tensor grad_p = (grads[3] - grads[2]).contiguous();
    const at::Tensor weights = w_chain.contiguous();
    const bool room = context->saved_data["room"].toBool();
    const at::Tensor grad_gates = buffer(room, gates.sizes(), gates);
    const at::Tensor previous = buffer(room, {n, s}, gates);
    const at::Tensor out_biases = at::empty({saved[1].size(0), s}, like(gates));
    const int64_t terms = k + size.r * s;
    const at::Tensor grad_bias = at::empty({terms}, like(gates));
    AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "chain_gates_backward", [&] {
      cuda::ChainBackward<scalar_t> p{};
      p.at = sequences(saved.data());
      p.n = n;
      p.s = s;
      p.k = k;
      p.w_chain = weights.data_ptr<scalar_t>();
      p.w_z = w_z.data_ptr<scalar_t>();
      p.gates = gates.data_ptr<scalar_t>();
      p.carried = carried.data_ptr<scalar_t>();
      p.hidden = hidden.data_ptr<scalar_t>();
      p.slopes = slopes.data_ptr<scalar_t>();
      p.grad_raw = grad_raw.data_ptr<scalar_t>();
      p.grad_z = grad_z.data_ptr<scalar_t>();
      p.grad_p = grad_p.data_ptr<scalar_t>();
      p.grad_gates = grad_gates.data_ptr<scalar_t>();
      p.previous = previous.data_ptr<scalar_t>();
      p.grad_out_bias = out_biases.data_ptr<scalar_t>();
      cuda::chain_backward(cell_of(cell), p, stream());
      cuda::column_sums(n, terms, grad_gates.data_ptr<scalar_t>(), grad_gates.size(1),
                        grad_bias.data_ptr<scalar_t>(), stream());
    });
    return {at::mm(grad_gates, w_states),
            {},
            at::mm(grad_gates.t(), states),
            grad_bias,
            at::mm(grad_gates.slice(1, 0, terms).t(), previous),
            at::mv(grad_gates.slice(1, k).t(), z),
            context->saved_data["has_out_bias"].toBool() ? out_biases.sum(0) : at::Tensor(),
            {},
            {},
            {},
            {},
            {},
            {},
            {},
            {}};
  }
};

}  // namespace

GateValues chain_gates(CellKind cell, GateKind kind, const ShapeBounds& bounds, Decision decision,
                       const at::Tensor& states, const at::Tensor& u, const ChainWeights& w,
                       const Packed& packed) {
  const Layout layout = layout_of(packed);
  const variable_list out = Chain::apply(
      states, if_defined(u), w.w_states, w.bias, w.w_chain, w.w_z, if_defined(w.out_bias),
      layout[0], layout[1], layout[2], static_cast<int64_t>(cell), static_cast<int64_t>(kind),
      bounds, static_cast<int64_t>(decision), packed.room > 0);
  return {out[0], out[1], out[2], out[3]};
}

at::Tensor bi_recurrence(CellKind cell, const RecurrentInput& input, const RecurrentWeights& w,
                         const Packed& packed, bool final_only, bool skip) {
  const Layout layout = layout_of(packed);
  return Recurrence::apply(input.x, if_defined(input.scale), if_defined(input.fade), w.w_ih, w.w_hh,
                           w.bias, if_defined(w.out_bias), layout[0], layout[1], layout[2],
                           static_cast<int64_t>(cell), final_only, skip, packed.room > 0);
}

}  // namespace hardkuma::on_gpu
