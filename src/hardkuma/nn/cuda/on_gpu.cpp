#include "hardkuma/nn/cuda/on_gpu.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include "hardkuma/nn/cuda/tensors.h"

namespace hardkuma::on_gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

const StepKey& checked(const StepKey& key) {
  if (!key.fits()) throw InternalError("[on_gpu] a key of too many parts");
  return key;
}

at::Tensor rows_in_order(const at::Tensor& x) {
  return x.stride(1) == 1 ? x : x.contiguous();  // rows may be strided
}

cuda::Drop drop_of(const Dropout& dropout) {
  return {dropout.p, dropout.p > 0.0 ? dropout.keys.data_ptr<int64_t>() : nullptr,
          dropout.place.has_value(), dropout.place.value_or(0)};
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

// The backward pass draws the mask again: the keys take a hundredth of its memory.
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

struct BoundsPenalty : Function<BoundsPenalty> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const std::vector<double>& low_high) {
    const at::Tensor raw = given.contiguous();
    at::Tensor out = at::empty({raw.size(0)}, like(raw));
    AT_DISPATCH_FLOATING_TYPES(raw.scalar_type(), "bounds_penalty", [&] {
      cuda::bounds_penalty(raw.size(0), raw.size(1), low_high.data(), raw.data_ptr<scalar_t>(),
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
    AT_DISPATCH_FLOATING_TYPES(raw.scalar_type(), "bounds_penalty_backward", [&] {
      cuda::bounds_penalty_back(raw.size(0), raw.size(1), low_high.data(), raw.data_ptr<scalar_t>(),
                                grad.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), stream());
    });
    return {out, {}};
  }
};

struct MeanByPair : Function<MeanByPair> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& given,
                            const at::Tensor& table) {
    const at::Tensor values = given.contiguous();
    at::Tensor out = at::empty({table.size(0)}, like(values));
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "mean_by_pair", [&] {
      cuda::pair_means(table_of(table), values.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
                       stream());
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
      cuda::pair_means_back(table_of(table), grad.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
                            stream());
    });
    return {out, {}};
  }
};

}  // namespace

at::Tensor row_keys(const Packed& packed, const ExampleIds& examples, const StepKey& key) {
  at::Tensor out = at::empty({packed.rows()}, examples.device.options());
  cuda::row_keys(sequences(packed), examples.device.data_ptr<int64_t>(), checked(key),
                 out.data_ptr<int64_t>(), stream());
  return out;
}

at::Tensor text_keys(const ExampleIds& examples, const StepKey& key) {
  at::Tensor out = at::empty_like(examples.device);
  cuda::text_keys(out.size(0), examples.device.data_ptr<int64_t>(), checked(key),
                  out.data_ptr<int64_t>(), stream());
  return out;
}

at::Tensor row_uniforms(const Packed& packed, const ExampleIds& examples, const StepKey& key,
                        at::ScalarType dtype) {
  // Padding gets a number too.
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

at::Tensor bounds_penalty(const at::Tensor& raw, const std::vector<double>& low_high) {
  return BoundsPenalty::apply(raw, low_high);
}

at::Tensor pair_row_keys(const Pairs& pairs, const ExampleIds& examples, const StepKey& key) {
  at::Tensor out = at::empty({pairs.rows()}, examples.device.options());
  cuda::pair_row_keys(table_of(pairs.device), examples.device.data_ptr<int64_t>(), checked(key),
                      out.data_ptr<int64_t>(), stream());
  return out;
}

at::Tensor cell_uniforms(const Pairs& pairs, const ExampleIds& examples, const StepKey& key,
                         at::ScalarType dtype) {
  at::Tensor out = at::full({pairs.cell_count()}, 0.5, examples.device.options().dtype(dtype));
  AT_DISPATCH_FLOATING_TYPES(dtype, "cell_uniforms", [&] {
    cuda::cell_uniforms(table_of(pairs.device), examples.device.data_ptr<int64_t>(), checked(key),
                        out.data_ptr<scalar_t>(), stream());
  });
  return out;
}

at::Tensor mean_by_pair(const at::Tensor& values, const Pairs& pairs) {
  return MeanByPair::apply(values, pairs.device);
}

}  // namespace hardkuma::on_gpu
