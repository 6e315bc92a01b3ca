#include "hardkuma/nn/lstm.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>

#include "hardkuma/nn/lstm_kernels.h"

namespace hardkuma {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// Where one step of one direction finds its rows. In the forward direction step t follows t - 1,
// in the backward direction t + 1; because rows are sorted longest first, the live rows of a step
// and of its predecessor are prefixes of each other.
struct StepRows {
  int64_t offset;
  int64_t rows;
  int64_t previous_offset;
  int64_t previous_rows;  // how many of `rows` have a predecessor
};

StepRows step_rows(const Packed& packed, int direction, int64_t index) {
  const int64_t steps = packed.steps();
  const int64_t t = direction == 0 ? index : steps - 1 - index;
  const int64_t before = direction == 0 ? t - 1 : t + 1;
  StepRows out{packed.row(t, 0), packed.sizes[static_cast<size_t>(t)], 0, 0};
  if (index > 0) {
    out.previous_offset = packed.row(before, 0);
    out.previous_rows = std::min(out.rows, packed.sizes[static_cast<size_t>(before)]);
  }
  return out;
}

// For every row its predecessor in the given direction, and for rows without one, themselves; the
// second tensor is 1 where there is a predecessor.
std::pair<at::Tensor, at::Tensor> predecessors(const Packed& packed, int direction,
                                               at::ScalarType dtype) {
  at::Tensor index = at::empty({packed.rows()}, at::kLong);
  at::Tensor exists = at::ones({packed.rows(), 1}, at::kFloat);
  auto* row = index.data_ptr<int64_t>();
  auto* flag = exists.data_ptr<float>();
  for (int64_t s = 0; s < packed.steps(); ++s) {
    const StepRows step = step_rows(packed, direction, s);
    for (int64_t i = 0; i < step.rows; ++i) {
      const bool has = i < step.previous_rows;
      row[step.offset + i] = has ? step.previous_offset + i : step.offset + i;
      if (!has) flag[step.offset + i] = 0.0f;
    }
  }
  return {index, exists.to(dtype)};
}

struct BiLstmFunction : Function<BiLstmFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& w_ih,
                            const at::Tensor& w_hh, const at::Tensor& b_ih, const at::Tensor& b_hh,
                            const Packed& packed) {
    const int64_t h = w_hh.size(2);
    const at::Tensor input = x.contiguous();
    at::Tensor gates = at::addmm(b_ih + b_hh, input, w_ih.t());  // [N, 8H]
    at::Tensor cells = at::empty({packed.rows(), 2 * h}, gates.options());
    at::Tensor hidden = at::empty_like(cells);
    const at::Tensor recurrent = w_hh.contiguous();
    AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "bi_lstm", [&] {
      auto* g = gates.data_ptr<scalar_t>();
      auto* c = cells.data_ptr<scalar_t>();
      auto* out = hidden.data_ptr<scalar_t>();
      for (int direction = 0; direction < 2; ++direction) {
        const scalar_t* w = recurrent.data_ptr<scalar_t>() + direction * 4 * h * h;
        for (int64_t s = 0; s < packed.steps(); ++s) {
          const StepRows at = step_rows(packed, direction, s);
          const LstmStep<scalar_t> step{at.rows, h, 8 * h, 2 * h, at.previous_rows};
          scalar_t* step_gates = g + at.offset * 8 * h + direction * 4 * h;
          const int64_t column = direction * h;
          const int64_t previous = at.previous_offset * 2 * h + column;
          const int64_t here = at.offset * 2 * h + column;
          gemm_nt(at.previous_rows, 4 * h, h, out + previous, 2 * h, w, h, step_gates, 8 * h);
          lstm_cell_forward(step, step_gates, c + previous, c + here, out + here);
        }
      }
    });
    context->save_for_backward({input, w_ih, recurrent, gates, cells, hidden});
    context->saved_data["lengths"] = packed.lengths;
    context->saved_data["needs_x"] = x.requires_grad();
    return hidden;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &w_ih = saved[1], &w_hh = saved[2], &gates = saved[3],
                     &cells = saved[4], &hidden = saved[5];
    const Packed packed(context->saved_data["lengths"].toIntVector());
    const int64_t h = w_hh.size(2);
    const at::Tensor grad_out = grads[0].contiguous();
    at::Tensor grad_gates = at::empty_like(gates);
    AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "bi_lstm_backward", [&] {
      const int64_t batch = packed.sequences();
      std::vector<scalar_t> grad_hidden(static_cast<size_t>(batch * h));
      std::vector<scalar_t> grad_recurrent(static_cast<size_t>(batch * h));
      std::vector<scalar_t> grad_cell(static_cast<size_t>(batch * h));
      const auto* out_gradient = grad_out.data_ptr<scalar_t>();
      for (int direction = 0; direction < 2; ++direction) {
        const scalar_t* w = w_hh.data_ptr<scalar_t>() + direction * 4 * h * h;
        std::fill(grad_recurrent.begin(), grad_recurrent.end(), scalar_t(0));
        std::fill(grad_cell.begin(), grad_cell.end(), scalar_t(0));
        for (int64_t s = packed.steps() - 1; s >= 0; --s) {
          const StepRows at = step_rows(packed, direction, s);
          const LstmStep<scalar_t> step{at.rows, h, 8 * h, 2 * h, at.previous_rows};
          const int64_t column = direction * h;
          for (int64_t r = 0; r < at.rows; ++r) {
            const scalar_t* incoming = out_gradient + (at.offset + r) * 2 * h + column;
            const scalar_t* carried = grad_recurrent.data() + r * h;
            scalar_t* total = grad_hidden.data() + r * h;
            for (int64_t j = 0; j < h; ++j) total[j] = incoming[j] + carried[j];
          }
          const int64_t gate_column = at.offset * 8 * h + direction * 4 * h;
          lstm_cell_backward(step, gates.data_ptr<scalar_t>() + gate_column,
                             cells.data_ptr<scalar_t>() + at.previous_offset * 2 * h + column,
                             cells.data_ptr<scalar_t>() + at.offset * 2 * h + column,
                             grad_hidden.data(), grad_cell.data(),
                             grad_gates.data_ptr<scalar_t>() + gate_column);
          std::fill(grad_recurrent.begin(), grad_recurrent.begin() + at.rows * h, scalar_t(0));
          gemm_nn(at.previous_rows, h, 4 * h, grad_gates.data_ptr<scalar_t>() + gate_column, 8 * h,
                  w, h, grad_recurrent.data(), h);
        }
      }
    });
    at::Tensor grad_w_hh = at::empty_like(w_hh);
    for (int direction = 0; direction < 2; ++direction) {
      const auto [index, exists] = predecessors(packed, direction, hidden.scalar_type());
      const at::Tensor before =
          hidden.slice(1, direction * h, (direction + 1) * h).index_select(0, index) * exists;
      const at::Tensor grad_direction =
          grad_gates.slice(1, direction * 4 * h, (direction + 1) * 4 * h);
      grad_w_hh[direction].copy_(at::mm(grad_direction.t(), before));
    }
    const at::Tensor grad_bias = grad_gates.sum(0);
    const bool needs_x = context->saved_data["needs_x"].toBool();
    return {needs_x ? at::mm(grad_gates, w_ih) : at::Tensor(),
            at::mm(grad_gates.t(), x),
            grad_w_hh,
            grad_bias,
            grad_bias,
            at::Tensor()};
  }
};

}  // namespace

at::Tensor uniform_tensor(at::IntArrayRef shape, double bound, RandomKey key) {
  at::Tensor out = at::empty(shape, at::kFloat);
  auto* data = out.data_ptr<float>();
  for (int64_t i = 0; i < out.numel(); ++i) {
    const double u = key.with(static_cast<uint64_t>(i)).uniform_double();
    data[i] = static_cast<float>(bound * (2.0 * u - 1.0));
  }
  return out;
}

at::Tensor xavier_uniform(at::IntArrayRef shape, int64_t fan_in, int64_t fan_out, RandomKey key) {
  return uniform_tensor(shape, std::sqrt(6.0 / static_cast<double>(fan_in + fan_out)), key);
}

BiLstmImpl::BiLstmImpl(const BiLstmOptions& options, RandomKey key) {
  const int64_t d = options.in_features;
  const int64_t h = options.hidden;
  // Each of the four gates is a map of its own, so the fan-out is that of one gate.
  w_ih = register_parameter("w_ih", xavier_uniform({8 * h, d}, d, h, key.with(0)));
  w_hh = register_parameter("w_hh", xavier_uniform({2, 4 * h, h}, h, h, key.with(1)));
  b_ih = register_parameter("b_ih", at::zeros({8 * h}));
  b_hh = register_parameter("b_hh", at::zeros({8 * h}));
}

at::Tensor BiLstmImpl::forward(const at::Tensor& x, const Packed& packed) {
  return bi_lstm(x, w_ih, w_hh, b_ih, b_hh, packed);
}

at::Tensor bi_lstm(const at::Tensor& x, const at::Tensor& w_ih, const at::Tensor& w_hh,
                   const at::Tensor& b_ih, const at::Tensor& b_hh, const Packed& packed) {
  return BiLstmFunction::apply(x, w_ih, w_hh, b_ih, b_hh, packed);
}

at::Tensor final_states(const at::Tensor& states, const Packed& packed) {
  const int64_t h = states.size(1) / 2;
  const at::Tensor forward = states.slice(1, 0, h).index_select(0, packed.last_rows());
  const at::Tensor backward = states.slice(0, 0, packed.sequences()).slice(1, h, 2 * h);
  return at::cat({forward, backward}, 1);
}

}  // namespace hardkuma
