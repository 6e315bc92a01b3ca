#include "hardkuma/nn/recurrence.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/cuda/on_gpu.h"
#include "hardkuma/nn/gemm.h"

namespace hardkuma {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// Steps of one direction are processed in blocks of about this many rows: a block's results are
// still in the cache when the next product needs them.
constexpr int64_t kBlockRows = 512;

struct StepBlock {
  int64_t first_step;  // in the direction's order
  int64_t last_step;   // one past
  int64_t first_row;   // the rows of a block are contiguous in both directions
  int64_t last_row;
};

std::vector<StepBlock> blocks_of(const Packed& packed, int direction) {
  std::vector<StepBlock> out;
  for (int64_t s = 0; s < packed.steps(); ++s) {
    const StepRows at = step_rows(packed, direction, s);
    if (out.empty() || out.back().last_row - out.back().first_row >= kBlockRows) {
      out.push_back({s, s, at.offset, at.offset});
      if (direction == 1) out.back().first_row = out.back().last_row = at.offset + at.rows;
    }
    StepBlock& block = out.back();
    block.last_step = s + 1;
    (direction == 0 ? block.last_row : block.first_row) =
        direction == 0 ? at.offset + at.rows : at.offset;
  }
  return out;
}

// The listed rows that fall into a block, as a range of indices into the list.
struct Listed {
  int64_t first;
  int64_t last;
};

Listed listed_in(const at::Tensor& rows, const StepBlock& block) {
  if (!rows.defined()) return {block.first_row, block.last_row};
  const int64_t* begin = rows.data_ptr<int64_t>();
  const int64_t* end = begin + rows.size(0);
  return {std::lower_bound(begin, end, block.first_row) - begin,
          std::lower_bound(begin, end, block.last_row) - begin};
}

// The states after each step: [2, N, C·H] and [N, 2H].
struct States {
  at::Tensor carried;
  at::Tensor hidden;
};

template <typename Cell>
struct BiRecurrence : Function<BiRecurrence<Cell>> {
  static constexpr int64_t G = Cell::kGates;
  static constexpr int64_t R = Cell::kRecurrent;
  static constexpr int64_t K = Cell::kKept;
  static constexpr int64_t C = Cell::kCarried;

  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const c10::optional<at::Tensor>& maybe_scale,
                            const c10::optional<at::Tensor>& maybe_rows,
                            const c10::optional<at::Tensor>& maybe_fade, const at::Tensor& w_ih,
                            const at::Tensor& w_hh, const at::Tensor& bias,
                            const c10::optional<at::Tensor>& maybe_out_bias, const Packed& packed) {
    const at::Tensor scale = maybe_scale ? maybe_scale->contiguous() : at::Tensor();
    const at::Tensor rows = maybe_rows.value_or(at::Tensor());
    const at::Tensor z = maybe_fade ? maybe_fade->contiguous() : at::Tensor();
    const at::Tensor out_bias = maybe_out_bias ? maybe_out_bias->contiguous() : at::Tensor();
    const int64_t h = w_hh.size(2);
    const int64_t n = packed.rows();
    const at::Tensor input = x.contiguous();
    // The gates that do not read the previous hidden state have no bias.
    const at::Tensor start = R == G
                                 ? bias.contiguous()
                                 : at::cat({bias, at::zeros({2, (G - R) * h}, input.options())}, 1);
    // Unscaled, [M, 2GH]; without a scale each block projects its own rows.
    const at::Tensor projected = scale.defined() ? at::mm(input, w_ih.t()) : at::Tensor();
    at::Tensor kept = at::empty({2, n, K * h}, input.options());  // a direction's rows together
    const auto states_of_words = [&] {
      return States{at::empty({2, n, C * h}, input.options()),
                    at::empty({n, 2 * h}, input.options())};
    };
    const States states = states_of_words();
    const States cells = z.defined() ? states_of_words() : states;   // before they are faded
    const at::Tensor recurrent = w_hh.transpose(1, 2).contiguous();  // [2, H, RH]
    for (int direction = 0; direction < 2; ++direction) {
      const at::Tensor& half_bias = start[direction];
      const at::Tensor half_w = w_ih.slice(0, direction * G * h, (direction + 1) * G * h);
      at::Tensor scratch;
      for (const StepBlock& block : blocks_of(packed, direction)) {
        const int64_t count = block.last_row - block.first_row;
        at::Tensor gates = kept[direction].slice(0, block.first_row, block.last_row);
        if (K < G) {
          if (!scratch.defined() || scratch.size(0) < count) {
            scratch = at::empty({count, G * h}, input.options());
          }
          gates = scratch.slice(0, 0, count);
        }
        if (scale.defined()) {
          place(projected.slice(1, direction * G * h, (direction + 1) * G * h), scale, rows,
                half_bias, block, gates);
        } else {
          at::addmm_out(gates, half_bias, input.slice(0, block.first_row, block.last_row),
                        half_w.t());
        }
        AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "bi_recurrence", [&] {
          run_block<scalar_t>(packed, direction, block, recurrent, out_bias, gates, kept, z, cells,
                              states);
        });
      }
    }
    const bool needs_scale = maybe_scale && maybe_scale->requires_grad();
    context->save_for_backward({input, scale, rows, w_ih, w_hh, kept, states.carried, states.hidden,
                                needs_scale ? projected : at::Tensor(), z, cells.carried,
                                cells.hidden});
    context->saved_data["lengths"] = packed.lengths;
    context->saved_data["needs_x"] = x.requires_grad();
    context->saved_data["has_out_bias"] = out_bias.defined();
    return states.hidden;
  }

  // gates of a block = bias + scale · projected at the listed rows, bias elsewhere.
  static void place(const at::Tensor& projected, const at::Tensor& scale, const at::Tensor& rows,
                    const at::Tensor& bias, const StepBlock& block, const at::Tensor& gates) {
    AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "place", [&] {
      const int64_t width = bias.size(0);
      const auto* start = bias.data_ptr<scalar_t>();
      const auto row = [&](int64_t r) {
        return gates.data_ptr<scalar_t>() + (r - block.first_row) * gates.stride(0);
      };
      const Listed listed = listed_in(rows, block);
      int64_t next = block.first_row;
      for (int64_t i = listed.first; i < listed.last; ++i) {
        const int64_t here = rows.defined() ? rows.data_ptr<int64_t>()[i] : i;
        for (; next < here; ++next) std::copy(start, start + width, row(next));
        add_scaled(width, start, projected.data_ptr<scalar_t>() + i * projected.stride(0),
                   scale.data_ptr<scalar_t>()[i], row(here));
        next = here + 1;
      }
      for (; next < block.last_row; ++next) std::copy(start, start + width, row(next));
    });
  }

  template <typename T>
  static void run_block(const Packed& packed, int direction, const StepBlock& block,
                        const at::Tensor& recurrent, const at::Tensor& out_bias,
                        const at::Tensor& gates, const at::Tensor& kept, const at::Tensor& z,
                        const States& cells, const States& states) {
    const int64_t h = recurrent.size(1);
    const T* w = recurrent.data_ptr<T>() + direction * R * h * h;
    T* carried = states.carried[direction].data_ptr<T>();
    T* hidden = states.hidden.data_ptr<T>() + direction * h;
    CellForward<T> step{};
    step.h = h;
    step.ld_gates = gates.stride(0);
    step.ld_carried = C * h;
    step.ld_hidden = 2 * h;
    if (out_bias.defined()) step.out_bias = out_bias.data_ptr<T>() + direction * h;
    for (int64_t s = block.first_step; s < block.last_step; ++s) {
      const StepRows at = step_rows(packed, direction, s);
      step.rows = at.rows;
      step.previous_rows = at.previous_rows;
      step.gates = gates.data_ptr<T>() + (at.offset - block.first_row) * step.ld_gates;
      const T* before = hidden + at.previous_offset * step.ld_hidden;
      step.previous = carried + at.previous_offset * step.ld_carried;
      step.carried = cells.carried[direction].template data_ptr<T>() + at.offset * step.ld_carried;
      step.hidden =
          cells.hidden.template data_ptr<T>() + direction * h + at.offset * step.ld_hidden;
      gemm(at.previous_rows, R * h, h, before, step.ld_hidden, w, R * h, T(1), step.gates,
           step.ld_gates);
      Cell::forward(step);
      if (z.defined()) {
        const T* here = z.data_ptr<T>() + at.offset;
        for (int64_t r = 0; r < at.rows; ++r) {
          const bool first = r >= at.previous_rows;
          fade(C * h, here[r], first ? nullptr : step.previous + r * C * h,
               step.carried + r * C * h, carried + (at.offset + r) * C * h);
          fade(h, here[r], first ? nullptr : before + r * 2 * h, step.hidden + r * 2 * h,
               hidden + (at.offset + r) * 2 * h);
        }
      }
      if (K == G) continue;  // the gates are in `kept` already
      T* keep = kept[direction].data_ptr<T>() + at.offset * K * h;
      for (int64_t r = 0; r < at.rows; ++r) {
        const T* row = step.gates + r * step.ld_gates;
        std::copy(row, row + K * h, keep + r * K * h);
      }
    }
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &scale = saved[1], &rows = saved[2], &w_ih = saved[3],
                     &w_hh = saved[4], &kept = saved[5], &projected = saved[8], &z = saved[9];
    const States states{saved[6], saved[7]};
    const States cells{saved[10], saved[11]};
    const Packed packed(context->saved_data["lengths"].toIntVector());
    const int64_t h = w_hh.size(2);
    const at::Tensor grad_out = grads[0].contiguous();
    const at::Tensor weights = w_hh.contiguous();
    const auto options = x.options().requires_grad(false);
    at::Tensor grad_w_ih = at::zeros(w_ih.sizes(), options);
    at::Tensor grad_w_hh = at::zeros(w_hh.sizes(), options);
    at::Tensor grad_bias = at::zeros({2, R * h}, options);
    at::Tensor grad_out_bias = at::zeros({2, h}, options);
    at::Tensor grad_x, grad_scale, grad_z;
    if (context->saved_data["needs_x"].toBool()) grad_x = at::zeros(x.sizes(), options);
    if (projected.defined()) grad_scale = at::zeros({x.size(0)}, options);
    if (z.defined()) grad_z = at::zeros({packed.rows()}, options);
    const at::Tensor grad_recurrent = at::empty({packed.sequences(), h}, options);
    const at::Tensor grad_carried = at::empty({packed.sequences(), C * h}, options);
    // What a faded state passes to the one before, past the cell.
    const at::Tensor rest =
        z.defined() ? at::empty({packed.sequences(), (1 + C) * h}, options) : at::Tensor();
    at::Tensor scratch;
    for (int direction = 0; direction < 2; ++direction) {
      const int64_t from = direction * G * h;
      grad_recurrent.zero_();
      grad_carried.zero_();
      const std::vector<StepBlock> blocks = blocks_of(packed, direction);
      for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        const int64_t count = block->last_row - block->first_row;
        if (!scratch.defined() || scratch.size(0) < count) {
          scratch = at::empty({count, G * h}, options);
        }
        const at::Tensor grad_gates = scratch.slice(0, 0, count);
        AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bi_recurrence_backward", [&] {
          run_block_back<scalar_t>(packed, direction, *block, weights, kept, z, cells, states,
                                   grad_out, grad_recurrent, grad_carried, rest, grad_z, grad_gates,
                                   grad_bias, grad_out_bias);
        });
        const at::Tensor before =
            previous_states(states.hidden.slice(1, direction * h, direction * h + h), packed,
                            direction, block->first_step, block->last_step);
        grad_w_hh[direction].addmm_(grad_gates.slice(1, 0, R * h).t(), before);

        const Listed listed = listed_in(rows, *block);
        if (listed.first == listed.last) continue;
        const at::Tensor by_input =
            rows.defined() ? grad_gates.index_select(
                                 0, rows.slice(0, listed.first, listed.last) - block->first_row)
                           : grad_gates;
        const auto rows_of = [&](const at::Tensor& t) {
          return t.slice(0, listed.first, listed.last);
        };
        const at::Tensor by = scale.defined() ? rows_of(scale).unsqueeze(1) : at::Tensor();
        grad_w_ih.slice(0, from, from + G * h)
            .addmm_(by_input.t(), scale.defined() ? rows_of(x) * by : rows_of(x));
        if (grad_x.defined()) {
          const at::Tensor towards = at::mm(by_input, w_ih.slice(0, from, from + G * h));
          rows_of(grad_x).add_(scale.defined() ? towards * by : towards);
        }
        if (grad_scale.defined()) {
          rows_of(grad_scale)
              .add_((by_input * rows_of(projected).slice(1, from, from + G * h)).sum(1));
        }
      }
    }
    return {
        grad_x,       grad_scale,
        at::Tensor(), grad_z,
        grad_w_ih,    grad_w_hh,
        grad_bias,    context->saved_data["has_out_bias"].toBool() ? grad_out_bias : at::Tensor(),
        at::Tensor()};
  }

  template <typename T>
  static void run_block_back(const Packed& packed, int direction, const StepBlock& block,
                             const at::Tensor& weights, const at::Tensor& kept, const at::Tensor& z,
                             const States& cells, const States& states, const at::Tensor& grad_out,
                             const at::Tensor& grad_recurrent, const at::Tensor& grad_carried,
                             const at::Tensor& rest, const at::Tensor& grad_z,
                             const at::Tensor& grad_gates, const at::Tensor& grad_bias,
                             const at::Tensor& grad_out_bias) {
    const int64_t h = weights.size(2);
    const T* carried = states.carried[direction].data_ptr<T>();
    const T* activations = kept[direction].data_ptr<T>();
    CellBackward<T> step{};
    step.h = h;
    step.ld_kept = K * h;
    step.ld_gates = G * h;
    step.ld_carried = C * h;
    step.ld_hidden = 2 * h;
    step.grad_recurrent = grad_recurrent.data_ptr<T>();
    step.grad_carried = grad_carried.data_ptr<T>();
    step.grad_bias = grad_bias.data_ptr<T>() + direction * R * h;
    step.grad_out_bias = grad_out_bias.data_ptr<T>() + direction * h;
    for (int64_t s = block.last_step - 1; s >= block.first_step; --s) {
      const StepRows at = step_rows(packed, direction, s);
      const int64_t place = at.offset * step.ld_hidden + direction * h;
      step.rows = at.rows;
      step.previous_rows = at.previous_rows;
      step.kept = activations + at.offset * step.ld_kept;
      step.previous = carried + at.previous_offset * step.ld_carried;
      step.carried = cells.carried[direction].template data_ptr<T>() + at.offset * step.ld_carried;
      step.hidden = cells.hidden.template data_ptr<T>() + place;
      step.grad_hidden = grad_out.data_ptr<T>() + place;
      step.grad_gates = grad_gates.data_ptr<T>() + (at.offset - block.first_row) * step.ld_gates;
      if (z.defined()) {
        fade_step_back(step, at, z.data_ptr<T>(),
                       states.hidden.data_ptr<T>() + at.previous_offset * 2 * h + direction * h,
                       grad_recurrent.data_ptr<T>(), rest.data_ptr<T>(), grad_z.data_ptr<T>());
      }
      Cell::backward(step);
      gemm(at.previous_rows, h, R * h, step.grad_gates, step.ld_gates,
           weights.data_ptr<T>() + direction * R * h * h, h, T(0), grad_recurrent.data_ptr<T>(), h);
      if (!z.defined()) continue;
      const T* past = rest.data_ptr<T>();
      for (int64_t r = 0; r < at.previous_rows; ++r, past += (1 + C) * h) {
        T* recurrent = grad_recurrent.data_ptr<T>() + r * h;
        for (int64_t j = 0; j < h; ++j) recurrent[j] += past[j];
        T* before = step.grad_carried + r * C * h;
        for (int64_t j = 0; j < C * h; ++j) before[j] += past[h + j];
      }
    }
  }

  // Turns the gradients of a step's faded states into those of its cells, with `rest` for the
  // states before, and adds up those of z.
  template <typename T>
  static void fade_step_back(CellBackward<T>& step, const StepRows& at, const T* z, const T* before,
                             T* grad_recurrent, T* rest, T* grad_z) {
    const int64_t h = step.h;
    for (int64_t r = 0; r < at.rows; ++r, rest += (1 + C) * h) {
      const bool first = r >= at.previous_rows;
      const T share = z[at.offset + r];
      T* recurrent = grad_recurrent + r * h;
      for (int64_t j = 0; j < h; ++j) recurrent[j] += step.grad_hidden[r * step.ld_hidden + j];
      grad_z[at.offset + r] +=
          fade_back(h, share, first ? nullptr : before + r * step.ld_hidden,
                    step.hidden + r * step.ld_hidden, recurrent, rest) +
          fade_back(C * h, share, first ? nullptr : step.previous + r * step.ld_carried,
                    step.carried + r * step.ld_carried, step.grad_carried + r * C * h, rest + h);
    }
    step.grad_hidden = nullptr;  // it is in grad_recurrent now
  }
};

template <typename Cell>
at::Tensor on_cpu(const RecurrentInput& input, const RecurrentWeights& weights,
                  const Packed& packed) {
  const int64_t m = input.x.size(0);
  const bool fits =
      input.rows.defined() ? input.scale.defined() && input.rows.size(0) == m : m == packed.rows();
  const bool fades = input.fade.defined();
  if (!fits || (input.scale.defined() && input.scale.size(0) != m) ||
      (fades && (input.scale.defined() || input.fade.size(0) != m))) {
    throw InternalError("[bi_recurrence] {} words, {} inputs", packed.rows(), m);
  }
  return BiRecurrence<Cell>::apply(input.x, if_defined(input.scale), if_defined(input.rows),
                                   if_defined(input.fade), weights.w_ih, weights.w_hh, weights.bias,
                                   if_defined(weights.out_bias), packed);
}

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

at::Tensor previous_states(const at::Tensor& states, const Packed& packed, int direction,
                           int64_t first_step, int64_t last_step) {
  const int64_t h = states.size(1);
  const StepRows first = step_rows(packed, direction, first_step);
  const StepRows last = step_rows(packed, direction, last_step - 1);
  const int64_t first_row = std::min(first.offset, last.offset);
  const int64_t last_row = std::max(first.offset + first.rows, last.offset + last.rows);
  at::Tensor out = at::empty({last_row - first_row, h}, states.options());
  AT_DISPATCH_FLOATING_TYPES(states.scalar_type(), "previous_states", [&] {
    for (int64_t s = first_step; s < last_step; ++s) {
      const StepRows at = step_rows(packed, direction, s);
      const auto* from = states.data_ptr<scalar_t>() + at.previous_offset * states.stride(0);
      auto* to = out.data_ptr<scalar_t>() + (at.offset - first_row) * h;
      for (int64_t r = 0; r < at.previous_rows; ++r) {
        std::copy(from + r * states.stride(0), from + r * states.stride(0) + h, to + r * h);
      }
      std::fill(to + at.previous_rows * h, to + at.rows * h, scalar_t(0));
    }
  });
  return out;
}

at::Tensor bi_recurrence(CellKind cell, const RecurrentInput& input,
                         const RecurrentWeights& weights, const Packed& packed) {
  if (packed.on_gpu()) {
    return on_gpu::bi_recurrence(cell, {input.x, {}, {}, {}}, weights, packed,
                                 /*final_only=*/false, /*skip=*/false);
  }
  return cell == CellKind::Lstm ? on_cpu<LstmCell>(input, weights, packed)
                                : on_cpu<RcnnCell>(input, weights, packed);
}

at::Tensor bi_recurrence_ends(CellKind cell, const RecurrentInput& input,
                              const RecurrentWeights& weights, const Packed& packed, bool skip) {
  if (packed.on_gpu()) {
    return on_gpu::bi_recurrence(cell, input, weights, packed, /*final_only=*/true, skip);
  }
  return final_states(bi_recurrence(cell, input, weights, packed), packed);
}

at::Tensor final_states(const at::Tensor& states, const Packed& packed) {
  const int64_t h = states.size(1) / 2;
  const at::Tensor forward = states.slice(1, 0, h).index_select(0, packed.last_rows());
  const at::Tensor backward = states.slice(0, 0, packed.sequences()).slice(1, h, 2 * h);
  return at::cat({forward, backward}, 1);
}

}  // namespace hardkuma
