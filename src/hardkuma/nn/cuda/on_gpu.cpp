#include "hardkuma/nn/cuda/on_gpu.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include "hardkuma/common/error.h"

namespace hardkuma::on_gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

// The layout as three tensors, which a node of a graph can keep.
using Layout = std::vector<at::Tensor>;

Layout layout_of(const Packed& packed) {
  if (!packed.device) throw InternalError("[on_gpu] the batch's layout is not on the GPU");
  return {packed.device->offsets, packed.device->lengths, packed.device->starts};
}

const StepKey& checked(const StepKey& key) {
  if (!key.fits()) throw InternalError("[on_gpu] a key of too many parts");
  return key;
}

cuda::Sequences sequences(const at::Tensor* layout) {
  return {layout[1].size(0), layout[0].data_ptr<int32_t>(), layout[1].data_ptr<int32_t>(),
          layout[2].data_ptr<int32_t>()};
}

cuda::Sequences sequences(const Packed& packed) {
  const Layout layout = layout_of(packed);
  return sequences(layout.data());
}

at::TensorOptions like(const at::Tensor& x) {
  return x.options().requires_grad(false);
}

at::TensorOptions integers(const at::Tensor& x, at::ScalarType type) {
  return like(x).dtype(type);
}

// Where there are more rows than words, what is nobody's is to be 0.
at::Tensor buffer(bool room, at::IntArrayRef shape, const at::Tensor& x) {
  return room ? at::zeros(shape, like(x)) : at::empty(shape, like(x));
}

at::Tensor rows_in_order(const at::Tensor& x) {
  return x.stride(1) == 1 ? x : x.contiguous();  // rows may lie apart
}

cuda::Drop drop_of(const Dropout& dropout) {
  return {dropout.p, dropout.p > 0.0 ? dropout.keys.data_ptr<int64_t>() : nullptr,
          dropout.place.has_value(), dropout.place.value_or(0)};
}

template <typename T>
T* pointer(const at::Tensor& x) {
  return x.defined() ? x.data_ptr<T>() : nullptr;
}

struct MeanBySequence : Function<MeanBySequence> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& offsets, const at::Tensor& lengths,
                            const at::Tensor& starts) {
    const at::Tensor values = given.contiguous();
    const Layout layout{offsets, lengths, starts};
    at::Tensor out = at::empty({lengths.size(0)}, like(values));
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "mean_by_sequence", [&] {
      cuda::sequence_means(sequences(layout.data()), values.data_ptr<scalar_t>(),
                           out.data_ptr<scalar_t>(), stream());
    });
    context->save_for_backward(layout);
    context->saved_data["rows"] = values.size(0);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list layout = context->get_saved_variables();
    const at::Tensor grad = grads[0].contiguous();
    at::Tensor out = at::zeros({context->saved_data["rows"].toInt()}, like(grad));
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "mean_by_sequence_backward", [&] {
      cuda::sequence_means_back(sequences(layout.data()), grad.data_ptr<scalar_t>(),
                                out.data_ptr<scalar_t>(), stream());
    });
    return {out, {}, {}, {}};
  }
};

struct Transitions : Function<Transitions> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& zero_given,
                            const at::Tensor& nonzero_given, const at::Tensor& offsets,
                            const at::Tensor& lengths, const at::Tensor& starts) {
    const at::Tensor zero = zero_given.contiguous();
    const at::Tensor nonzero = nonzero_given.contiguous();
    const Layout layout{offsets, lengths, starts};
    at::Tensor out = at::empty({lengths.size(0)}, like(zero));
    AT_DISPATCH_FLOATING_TYPES(zero.scalar_type(), "transitions", [&] {
      cuda::transitions(sequences(layout.data()), zero.data_ptr<scalar_t>(),
                        nonzero.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), stream());
    });
    context->save_for_backward({offsets, lengths, starts, zero, nonzero});
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor grad = grads[0].contiguous();
    at::Tensor to_zero = at::zeros_like(saved[3]);
    at::Tensor to_nonzero = at::zeros_like(saved[4]);
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "transitions_backward", [&] {
      cuda::transitions_back(sequences(saved.data()), saved[3].data_ptr<scalar_t>(),
                             saved[4].data_ptr<scalar_t>(), grad.data_ptr<scalar_t>(),
                             to_zero.data_ptr<scalar_t>(), to_nonzero.data_ptr<scalar_t>(),
                             stream());
    });
    return {to_zero, to_nonzero, {}, {}, {}};
  }
};

at::Tensor dropped(const at::Tensor& given, const at::Tensor& words, const Dropout& dropout) {
  const at::Tensor from = rows_in_order(given);
  const int64_t rows = words.defined() ? words.size(0) : from.size(0);
  at::Tensor out = at::empty({rows, from.size(1)}, like(from));
  AT_DISPATCH_FLOATING_TYPES(from.scalar_type(), "drop", [&] {
    cuda::drop(drop_of(dropout), rows, from.size(1), from.data_ptr<scalar_t>(), from.stride(0),
               pointer<int64_t>(words), out.data_ptr<scalar_t>(), stream());
  });
  return out;
}

void save(AutogradContext* context, const Dropout& dropout) {
  context->saved_data["p"] = dropout.p;
  context->saved_data["placed"] = dropout.place.has_value();
  context->saved_data["place"] = static_cast<int64_t>(dropout.place.value_or(0));
}

// What is dropped is drawn anew going back: the keys are a hundredth of a mask.
struct DropRows : Function<DropRows> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& keys,
                            const Dropout& dropout) {
    context->save_for_backward({keys});
    save(context, dropout);
    return dropped(x, {}, dropout);
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    Dropout dropout{context->saved_data["p"].toDouble(), context->get_saved_variables()[0], {}};
    if (context->saved_data["placed"].toBool()) {
      dropout.place = static_cast<uint64_t>(context->saved_data["place"].toInt());
    }
    return {dropped(grads[0], {}, dropout), {}, {}};
  }
};

struct Rectify : Function<Rectify> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& given_bias, const Dropout& dropout) {
    const at::Tensor x = rows_in_order(given);
    const at::Tensor bias = given_bias.contiguous();
    at::Tensor out = at::empty({x.size(0), x.size(1)}, like(x));
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "rectify", [&] {
      cuda::rectify(drop_of(dropout), x.size(0), x.size(1), x.data_ptr<scalar_t>(), x.stride(0),
                    bias.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), stream());
    });
    context->save_for_backward({out});
    context->saved_data["p"] = dropout.p;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor out = context->get_saved_variables()[0];
    const at::Tensor grad = rows_in_order(grads[0]);
    at::Tensor to_x = at::empty_like(out);
    at::Tensor to_bias = at::empty({out.size(1)}, like(out));
    AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "rectify_backward", [&] {
      cuda::rectify_back(context->saved_data["p"].toDouble(), out.size(0), out.size(1),
                         out.data_ptr<scalar_t>(), grad.data_ptr<scalar_t>(), grad.stride(0),
                         to_x.data_ptr<scalar_t>(), stream());
      cuda::column_sums(out.size(0), out.size(1), to_x.data_ptr<scalar_t>(), out.size(1),
                        to_bias.data_ptr<scalar_t>(), stream());
    });
    return {to_x, to_bias, {}};
  }
};

struct Rails : Function<Rails> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const std::vector<double>& low_high) {
    const at::Tensor raw = given.contiguous();
    at::Tensor out = at::empty({raw.size(0)}, like(raw));
    AT_DISPATCH_FLOATING_TYPES(raw.scalar_type(), "rails", [&] {
      cuda::rails(raw.size(0), raw.size(1), low_high.data(), raw.data_ptr<scalar_t>(),
                  out.data_ptr<scalar_t>(), stream());
    });
    context->save_for_backward({raw});
    context->saved_data["range"] = low_high;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor raw = context->get_saved_variables()[0];
    const at::Tensor grad = grads[0].contiguous();
    const std::vector<double> low_high = context->saved_data["range"].toDoubleVector();
    at::Tensor out = at::empty_like(raw);
    AT_DISPATCH_FLOATING_TYPES(raw.scalar_type(), "rails_backward", [&] {
      cuda::rails_back(raw.size(0), raw.size(1), low_high.data(), raw.data_ptr<scalar_t>(),
                       grad.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), stream());
    });
    return {out, {}};
  }
};

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
                            const c10::optional<at::Tensor>& maybe_scale, const at::Tensor& w_ih,
                            const at::Tensor& w_hh, const at::Tensor& bias_given,
                            const c10::optional<at::Tensor>& maybe_out_bias,
                            const at::Tensor& offsets, const at::Tensor& lengths,
                            const at::Tensor& starts, int64_t kind, bool final_only, bool skip,
                            bool room) {
    const auto cell = static_cast<CellKind>(kind);
    const Sizes size = sizes_of(cell);
    const at::Tensor x = x_given.contiguous();
    const at::Tensor scale = maybe_scale ? maybe_scale->contiguous() : at::Tensor();
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
    const at::Tensor final = at::zeros({b, 2 * h}, like(x));
    at::Tensor rows;
    at::Tensor counts = lengths;
    if (skip) {
      rows = at::empty({n}, integers(x, at::kInt));
      counts = at::empty({b}, integers(x, at::kInt));
    }
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "bi_recurrence", [&] {
      if (skip) {
        cuda::keep_nonzero(sequences(layout.data()), scale.data_ptr<scalar_t>(),
                           rows.data_ptr<int32_t>(), counts.data_ptr<int32_t>(), stream());
      }
      cuda::RecurrenceForward<scalar_t> p{};
      p.at = sequences(layout.data());
      p.read = {pointer<int32_t>(rows), counts.data_ptr<int32_t>()};
      p.h = h;
      p.projected = projected.data_ptr<scalar_t>();
      p.scale = pointer<scalar_t>(scale);
      p.bias = bias.data_ptr<scalar_t>();
      p.out_bias = pointer<scalar_t>(out_bias);
      p.recurrent = recurrent.data_ptr<scalar_t>();
      p.kept = kept.data_ptr<scalar_t>();
      p.carried = carried.data_ptr<scalar_t>();
      p.hidden = hidden.data_ptr<scalar_t>();
      p.final = final.data_ptr<scalar_t>();
      cuda::recurrence_forward(cell_of(cell), p, stream());
    });
    const bool needs_scale = maybe_scale && maybe_scale->requires_grad();
    context->save_for_backward({offsets, lengths, starts, x, scale, w_ih, w_hh, kept, carried,
                                hidden, rows, counts, needs_scale ? projected : at::Tensor()});
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
                     &counts = saved[11], &projected = saved[12];
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

struct MeanByPair : Function<MeanByPair> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& table) {
    const at::Tensor values = given.contiguous();
    at::Tensor out = at::empty({table.size(0)}, like(values));
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "mean_by_pair", [&] {
      cuda::pair_means({table.size(0), table.data_ptr<int32_t>()}, values.data_ptr<scalar_t>(),
                       out.data_ptr<scalar_t>(), stream());
    });
    context->save_for_backward({table});
    context->saved_data["cells"] = values.size(0);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor table = context->get_saved_variables()[0];
    const at::Tensor grad = grads[0].contiguous();
    at::Tensor out = at::zeros({context->saved_data["cells"].toInt()}, like(grad));
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "mean_by_pair_backward", [&] {
      cuda::pair_means_back({table.size(0), table.data_ptr<int32_t>()}, grad.data_ptr<scalar_t>(),
                            out.data_ptr<scalar_t>(), stream());
    });
    return {out, {}};
  }
};

cuda::PairTable table_of(const Pairs& pairs) {
  return {pairs.count(), pairs.device.data_ptr<int32_t>()};
}

}  // namespace

at::Tensor row_keys(const Packed& packed, const Numbers& examples, const StepKey& key) {
  at::Tensor out = at::empty({packed.rows()}, examples.device.options());
  cuda::row_keys(sequences(packed), examples.device.data_ptr<int64_t>(), checked(key),
                 out.data_ptr<int64_t>(), stream());
  return out;
}

at::Tensor text_keys(const Numbers& examples, const StepKey& key) {
  at::Tensor out = at::empty_like(examples.device);
  cuda::text_keys(out.size(0), examples.device.data_ptr<int64_t>(), checked(key),
                  out.data_ptr<int64_t>(), stream());
  return out;
}

at::Tensor row_uniforms(const Packed& packed, const Numbers& examples, const StepKey& key,
                        at::ScalarType dtype) {
  // What is nobody's gets a number too.
  at::Tensor out = at::full({packed.rows()}, 0.5, examples.device.options().dtype(dtype));
  AT_DISPATCH_FLOATING_TYPES(dtype, "row_uniforms", [&] {
    cuda::row_uniforms(sequences(packed), examples.device.data_ptr<int64_t>(), checked(key),
                       out.data_ptr<scalar_t>(), stream());
  });
  return out;
}

at::Tensor mean_by_sequence(const at::Tensor& values, const Packed& packed) {
  const Layout layout = layout_of(packed);
  return MeanBySequence::apply(values, layout[0], layout[1], layout[2]);
}

at::Tensor expected_transitions(const at::Tensor& p_zero, const at::Tensor& p_nonzero,
                                const Packed& packed) {
  const Layout layout = layout_of(packed);
  return Transitions::apply(p_zero, p_nonzero, layout[0], layout[1], layout[2]);
}

at::Tensor drop(const at::Tensor& x, const Dropout& dropout) {
  return DropRows::apply(x, dropout.keys, dropout);
}

at::Tensor rectify(const at::Tensor& x, const at::Tensor& bias, const Dropout& dropout) {
  return Rectify::apply(x, bias, dropout);
}

at::Tensor embed(const at::Tensor& table, const at::Tensor& words, const Dropout& dropout) {
  return dropped(table.detach(), words, dropout);
}

at::Tensor rails(const at::Tensor& raw, const std::vector<double>& low_high) {
  return Rails::apply(raw, low_high);
}

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

at::Tensor bi_recurrence(CellKind cell, const at::Tensor& x, const at::Tensor& scale,
                         const RecurrentWeights& w, const Packed& packed, bool final_only,
                         bool skip) {
  const Layout layout = layout_of(packed);
  return Recurrence::apply(x, if_defined(scale), w.w_ih, w.w_hh, w.bias, if_defined(w.out_bias),
                           layout[0], layout[1], layout[2], static_cast<int64_t>(cell), final_only,
                           skip, packed.room > 0);
}

at::Tensor pair_row_keys(const Pairs& pairs, const Numbers& examples, const StepKey& key) {
  at::Tensor out = at::empty({pairs.rows()}, examples.device.options());
  cuda::pair_row_keys(table_of(pairs), examples.device.data_ptr<int64_t>(), checked(key),
                      out.data_ptr<int64_t>(), stream());
  return out;
}

at::Tensor cell_uniforms(const Pairs& pairs, const Numbers& examples, const StepKey& key,
                         at::ScalarType dtype) {
  at::Tensor out = at::full({pairs.cell_count()}, 0.5, examples.device.options().dtype(dtype));
  AT_DISPATCH_FLOATING_TYPES(dtype, "cell_uniforms", [&] {
    cuda::cell_uniforms(table_of(pairs), examples.device.data_ptr<int64_t>(), checked(key),
                        out.data_ptr<scalar_t>(), stream());
  });
  return out;
}

at::Tensor mean_by_pair(const at::Tensor& values, const Pairs& pairs) {
  return MeanByPair::apply(values, pairs.device);
}

}  // namespace hardkuma::on_gpu
