#include "hardkuma/nn/recurrence.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstring>

#include "hardkuma/nn/gemm.h"
#include "hardkuma/nn/vector_math.h"

namespace hardkuma {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// out = bias + scale · in; a null in is zero.
template <typename T>
HARDKUMA_INLINE void scaled_sum(int64_t n, const T* bias, const T* in, T scale, T* out) {
  if (in == nullptr) {
    std::copy(bias, bias + n, out);
    return;
  }
  HARDKUMA_INDEPENDENT
  for (int64_t j = 0; j < n; ++j) out[j] = bias[j] + scale * in[j];
}

HARDKUMA_CLONES void add_scaled(int64_t n, const float* bias, const float* in, float scale,
                                float* out) {
  scaled_sum(n, bias, in, scale, out);
}

HARDKUMA_CLONES void add_scaled(int64_t n, const double* bias, const double* in, double scale,
                                double* out) {
  scaled_sum(n, bias, in, scale, out);
}

// bias + scale · projected at the listed rows, bias alone elsewhere.
at::Tensor place_projection(const at::Tensor& projected, const at::Tensor& scale,
                            const at::Tensor& rows, const at::Tensor& bias, int64_t n) {
  at::Tensor gates = at::empty({n, bias.size(0)}, projected.options());
  const int64_t width = bias.size(0);
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "place_projection", [&] {
    const auto* from = projected.data_ptr<scalar_t>();
    const auto* by = scale.data_ptr<scalar_t>();
    const auto* start = bias.data_ptr<scalar_t>();
    const auto* place = rows.defined() ? rows.data_ptr<int64_t>() : nullptr;
    auto* to = gates.data_ptr<scalar_t>();
    std::vector<bool> listed(static_cast<size_t>(n), !rows.defined());
    for (int64_t i = 0; i < projected.size(0); ++i) {
      const int64_t row = place != nullptr ? place[i] : i;
      listed[static_cast<size_t>(row)] = true;
      add_scaled(width, start, from + i * width, by[i], to + row * width);
    }
    for (int64_t row = 0; row < n; ++row) {
      if (!listed[static_cast<size_t>(row)]) std::copy(start, start + width, to + row * width);
    }
  });
  return gates;
}

template <typename Cell>
struct BiRecurrence : Function<BiRecurrence<Cell>> {
  static constexpr int64_t G = Cell::kGates;
  static constexpr int64_t R = Cell::kRecurrent;
  static constexpr int64_t C = Cell::kCarried;

  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const c10::optional<at::Tensor>& maybe_scale,
                            const c10::optional<at::Tensor>& maybe_rows, const at::Tensor& w_ih,
                            const at::Tensor& w_hh, const at::Tensor& bias,
                            const c10::optional<at::Tensor>& maybe_out_bias, const Packed& packed) {
    const at::Tensor scale = maybe_scale.value_or(at::Tensor());
    const at::Tensor rows = maybe_rows.value_or(at::Tensor());
    const at::Tensor out_bias = maybe_out_bias.value_or(at::Tensor());
    const int64_t h = w_hh.size(2);
    const at::Tensor input = x.contiguous();
    const at::Tensor by = scale.defined()  ? scale.contiguous()
                          : rows.defined() ? at::ones({x.size(0)}, x.options())
                                           : at::Tensor();
    at::Tensor projected;  // [M, 2GH], unscaled
    at::Tensor gates;      // [N, 2GH]
    if (by.defined()) {
      projected = at::mm(input, w_ih.t());
      gates = place_projection(projected, by, rows, bias.contiguous(), packed.rows());
    } else {
      gates = at::addmm(bias, input, w_ih.t());
    }
    at::Tensor carried = at::empty({packed.rows(), 2 * C * h}, gates.options());
    at::Tensor hidden = at::empty({packed.rows(), 2 * h}, gates.options());
    const at::Tensor recurrent = w_hh.transpose(1, 2).contiguous();  // [2, H, RH]
    const at::Tensor add_out = out_bias.defined() ? out_bias.contiguous() : out_bias;
    AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "bi_recurrence", [&] {
      auto* g = gates.data_ptr<scalar_t>();
      auto* c = carried.data_ptr<scalar_t>();
      auto* out = hidden.data_ptr<scalar_t>();
      for (int direction = 0; direction < 2; ++direction) {
        const scalar_t* w = recurrent.data_ptr<scalar_t>() + direction * R * h * h;
        CellForward<scalar_t> step{};
        step.h = h;
        step.ld_gates = 2 * G * h;
        step.ld_carried = 2 * C * h;
        step.ld_hidden = 2 * h;
        if (add_out.defined()) step.out_bias = add_out.data_ptr<scalar_t>() + direction * h;
        for (int64_t s = 0; s < packed.steps(); ++s) {
          const StepRows at = step_rows(packed, direction, s);
          step.rows = at.rows;
          step.previous_rows = at.previous_rows;
          step.gates = g + at.offset * step.ld_gates + direction * G * h;
          step.previous = c + at.previous_offset * step.ld_carried + direction * C * h;
          step.carried = c + at.offset * step.ld_carried + direction * C * h;
          step.hidden = out + at.offset * step.ld_hidden + direction * h;
          gemm(at.previous_rows, R * h, h,
               out + at.previous_offset * step.ld_hidden + direction * h, step.ld_hidden, w, R * h,
               scalar_t(1), step.gates, step.ld_gates);
          Cell::forward(step);
        }
      }
    });
    const bool needs_scale = scale.defined() && scale.requires_grad();
    context->save_for_backward({input, by, rows, w_ih, w_hh, gates, carried, hidden,
                                needs_scale ? projected : at::Tensor()});
    context->saved_data["lengths"] = packed.lengths;
    context->saved_data["needs_x"] = x.requires_grad();
    context->saved_data["has_out_bias"] = out_bias.defined();
    return hidden;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &scale = saved[1], &rows = saved[2], &w_ih = saved[3],
                     &w_hh = saved[4], &gates = saved[5], &carried = saved[6], &hidden = saved[7],
                     &projected = saved[8];
    const Packed packed(context->saved_data["lengths"].toIntVector());
    const int64_t h = w_hh.size(2);
    const at::Tensor grad_out = grads[0].contiguous();
    const at::Tensor weights = w_hh.contiguous();
    at::Tensor grad_gates = at::empty_like(gates);
    at::Tensor grad_bias = at::zeros({2 * G * h}, gates.options());
    at::Tensor grad_out_bias = at::zeros({2, h}, gates.options());
    AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "bi_recurrence_backward", [&] {
      const int64_t batch = packed.sequences();
      std::vector<scalar_t> grad_recurrent(static_cast<size_t>(batch * h));
      std::vector<scalar_t> grad_carried(static_cast<size_t>(batch * C * h));
      for (int direction = 0; direction < 2; ++direction) {
        const scalar_t* w = weights.data_ptr<scalar_t>() + direction * R * h * h;
        std::fill(grad_recurrent.begin(), grad_recurrent.end(), scalar_t(0));
        std::fill(grad_carried.begin(), grad_carried.end(), scalar_t(0));
        CellBackward<scalar_t> step{};
        step.h = h;
        step.ld_gates = 2 * G * h;
        step.ld_carried = 2 * C * h;
        step.ld_hidden = 2 * h;
        step.grad_recurrent = grad_recurrent.data();
        step.grad_carried = grad_carried.data();
        step.grad_bias = grad_bias.data_ptr<scalar_t>() + direction * G * h;
        step.grad_out_bias = grad_out_bias.data_ptr<scalar_t>() + direction * h;
        for (int64_t s = packed.steps() - 1; s >= 0; --s) {
          const StepRows at = step_rows(packed, direction, s);
          const int64_t gate_place = at.offset * step.ld_gates + direction * G * h;
          const int64_t hidden_place = at.offset * step.ld_hidden + direction * h;
          const auto* states = carried.data_ptr<scalar_t>() + direction * C * h;
          step.rows = at.rows;
          step.previous_rows = at.previous_rows;
          step.gates = gates.data_ptr<scalar_t>() + gate_place;
          step.previous = states + at.previous_offset * step.ld_carried;
          step.carried = states + at.offset * step.ld_carried;
          step.hidden = hidden.data_ptr<scalar_t>() + hidden_place;
          step.grad_hidden = grad_out.data_ptr<scalar_t>() + hidden_place;
          step.grad_gates = grad_gates.data_ptr<scalar_t>() + gate_place;
          Cell::backward(step);
          gemm(at.previous_rows, h, R * h, step.grad_gates, step.ld_gates, w, h, scalar_t(0),
               grad_recurrent.data(), h);
        }
      }
    });
    at::Tensor grad_w_hh = at::empty_like(weights);
    for (int direction = 0; direction < 2; ++direction) {
      const at::Tensor before =
          previous_states(hidden.slice(1, direction * h, (direction + 1) * h), packed, direction);
      const int64_t column = direction * G * h;
      grad_w_hh[direction].copy_(at::mm(grad_gates.slice(1, column, column + R * h).t(), before));
    }
    const at::Tensor listed = rows.defined() ? grad_gates.index_select(0, rows) : grad_gates;
    const at::Tensor scaled = scale.defined() ? x * scale.unsqueeze(1) : x;
    at::Tensor grad_x;
    if (context->saved_data["needs_x"].toBool()) {
      grad_x = at::mm(listed, w_ih);
      if (scale.defined()) grad_x.mul_(scale.unsqueeze(1));
    }
    return {grad_x,
            projected.defined() ? (listed * projected).sum(1) : at::Tensor(),
            at::Tensor(),
            at::mm(listed.t(), scaled),
            grad_w_hh,
            grad_bias,
            context->saved_data["has_out_bias"].toBool() ? grad_out_bias : at::Tensor(),
            at::Tensor()};
  }
};

}  // namespace

StepRows step_rows(const Packed& packed, int direction, int64_t index) {
  const int64_t t = direction == 0 ? index : packed.steps() - 1 - index;
  const int64_t before = direction == 0 ? t - 1 : t + 1;
  StepRows out{packed.row(t, 0), packed.sizes[static_cast<size_t>(t)], 0, 0};
  if (index > 0) {
    out.previous_offset = packed.row(before, 0);
    out.previous_rows = std::min(out.rows, packed.sizes[static_cast<size_t>(before)]);
  }
  return out;
}

at::Tensor previous_states(const at::Tensor& states, const Packed& packed, int direction) {
  const int64_t h = states.size(1);
  at::Tensor out = at::empty({states.size(0), h}, states.options());
  for (int64_t s = 0; s < packed.steps(); ++s) {
    const StepRows at = step_rows(packed, direction, s);
    AT_DISPATCH_FLOATING_TYPES(states.scalar_type(), "previous_states", [&] {
      const auto* from = states.data_ptr<scalar_t>() + at.previous_offset * states.stride(0);
      auto* to = out.data_ptr<scalar_t>() + at.offset * h;
      const auto row_bytes = static_cast<size_t>(h) * sizeof(scalar_t);
      for (int64_t r = 0; r < at.previous_rows; ++r) {
        std::memcpy(to + r * h, from + r * states.stride(0), row_bytes);
      }
      std::fill(to + at.previous_rows * h, to + at.rows * h, scalar_t(0));
    });
  }
  return out;
}

template <typename Cell>
at::Tensor bi_recurrence(const RecurrentInput& input, const RecurrentWeights& weights,
                         const Packed& packed) {
  return BiRecurrence<Cell>::apply(input.x, if_defined(input.scale), if_defined(input.rows),
                                   weights.w_ih, weights.w_hh, weights.bias,
                                   if_defined(weights.out_bias), packed);
}

template at::Tensor bi_recurrence<LstmCell>(const RecurrentInput&, const RecurrentWeights&,
                                            const Packed&);
template at::Tensor bi_recurrence<RcnnCell>(const RecurrentInput&, const RecurrentWeights&,
                                            const Packed&);

template <typename Cell>
at::Tensor infer_recurrence(const ProjectedInput& input, const RecurrentWeights& weights,
                            const Packed& packed, bool final_only) {
  constexpr int64_t G = Cell::kGates;
  constexpr int64_t R = Cell::kRecurrent;
  constexpr int64_t C = Cell::kCarried;
  const int64_t h = weights.w_hh.size(2);
  const int64_t batch = packed.sequences();
  const auto options = at::TensorOptions().dtype(at::kFloat);
  at::Tensor out = at::empty({final_only ? batch : packed.rows(), 2 * h}, options);
  const at::Tensor recurrent = weights.w_hh.transpose(1, 2).contiguous();
  const at::Tensor bias = weights.bias.contiguous();
  const at::Tensor out_bias =
      weights.out_bias.defined() ? weights.out_bias.contiguous() : at::Tensor();
  std::vector<float> gates(static_cast<size_t>(batch * G * h));
  std::vector<float> carried[2];  // of the step before and of this one, by turns
  for (std::vector<float>& buffer : carried) buffer.resize(static_cast<size_t>(batch * C * h));
  for (int direction = 0; direction < 2; ++direction) {
    float* states = out.data_ptr<float>() + direction * h;
    CellForward<float> step{};
    step.h = h;
    step.gates = gates.data();
    step.ld_gates = G * h;
    step.ld_carried = C * h;
    step.ld_hidden = 2 * h;
    if (out_bias.defined()) step.out_bias = out_bias.data_ptr<float>() + direction * h;
    for (int64_t s = 0; s < packed.steps(); ++s) {
      const StepRows at = step_rows(packed, direction, s);
      for (int64_t r = 0; r < at.rows; ++r) {
        const auto row = static_cast<size_t>(at.offset + r);
        const float* word = input.words[row];
        add_scaled(G * h, bias.data_ptr<float>() + direction * G * h,
                   word == nullptr ? nullptr : word + direction * G * h,
                   input.scale.empty() ? 1.0f : input.scale[row], gates.data() + r * G * h);
      }
      step.rows = at.rows;
      step.previous_rows = at.previous_rows;
      step.previous = carried[s % 2].data();
      step.carried = carried[(s + 1) % 2].data();
      step.hidden = states + (final_only ? 0 : at.offset * 2 * h);
      gemm(at.previous_rows, R * h, h, states + (final_only ? 0 : at.previous_offset * 2 * h),
           2 * h, recurrent.data_ptr<float>() + direction * R * h * h, R * h, 1.0f, gates.data(),
           G * h);
      Cell::forward(step);
    }
  }
  return out;
}

template at::Tensor infer_recurrence<LstmCell>(const ProjectedInput&, const RecurrentWeights&,
                                               const Packed&, bool);
template at::Tensor infer_recurrence<RcnnCell>(const ProjectedInput&, const RecurrentWeights&,
                                               const Packed&, bool);

at::Tensor final_states(const at::Tensor& states, const Packed& packed) {
  const int64_t h = states.size(1) / 2;
  const at::Tensor forward = states.slice(1, 0, h).index_select(0, packed.last_rows());
  const at::Tensor backward = states.slice(0, 0, packed.sequences()).slice(1, h, 2 * h);
  return at::cat({forward, backward}, 1);
}

}  // namespace hardkuma
