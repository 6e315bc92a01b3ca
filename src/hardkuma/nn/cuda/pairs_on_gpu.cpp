// The operations between the words of pairs, for tensors on a GPU; pair_attention.cpp has them for
// the CPU.
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

struct ScorePairs : Function<ScorePairs> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& features,
                            const at::Tensor& layout, int64_t heads, int64_t cells, bool room) {
    const at::Tensor x = features.contiguous();
    at::Tensor out = buffer(room, {heads, cells}, x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_scores", [&] {
      cuda::pair_scores(table_of(layout), heads, x.size(1) / heads, cells, x.data_ptr<scalar_t>(),
                        out.data_ptr<scalar_t>(), stream());
    });
    context->save_for_backward({x, layout});
    context->saved_data["room"] = room;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor grad = grads[0].contiguous();  // [heads, C]
    const int64_t heads = grad.size(0);
    // Every row except padding belongs to a pair and is written.
    at::Tensor out = buffer(context->saved_data["room"].toBool(), x.sizes(), x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_scores_backward", [&] {
      cuda::pair_scores_back(table_of(saved[1]), heads, x.size(1) / heads, grad.size(1),
                             x.data_ptr<scalar_t>(), grad.data_ptr<scalar_t>(),
                             out.data_ptr<scalar_t>(), stream());
    });
    return {out, {}, {}, {}, {}};
  }
};

struct SoftmaxPairs : Function<SoftmaxPairs> {
  static variable_list forward(AutogradContext* context, const at::Tensor& scores_given,
                               const at::Tensor& z_given, const at::Tensor& layout, bool room) {
    const at::Tensor s = scores_given.contiguous();
    const at::Tensor z = z_given.contiguous();
    const variable_list out{at::empty_like(s), at::empty_like(s)};
    const variable_list slopes{at::empty_like(s), at::empty_like(s)};
    AT_DISPATCH_FLOATING_TYPES(s.scalar_type(), "pair_softmax", [&] {
      const auto at = [](const at::Tensor& t) { return t.data_ptr<scalar_t>(); };
      cuda::pair_softmax<scalar_t>(
          table_of(layout),
          {at(s), at(z), {at(out[0]), at(out[1])}, {at(slopes[0]), at(slopes[1])}}, stream());
    });
    context->save_for_backward({z, slopes[0], slopes[1], layout});
    context->saved_data["room"] = room;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& z = saved[0];
    const bool room = context->saved_data["room"].toBool();
    const at::Tensor by_score = buffer(room, z.sizes(), z);
    const at::Tensor by_z = buffer(room, z.sizes(), z);
    AT_DISPATCH_FLOATING_TYPES(z.scalar_type(), "pair_softmax_backward", [&] {
      const at::Tensor grad[2] = {grads[0].contiguous(), grads[1].contiguous()};
      const auto at = [](const at::Tensor& t) { return t.data_ptr<scalar_t>(); };
      cuda::pair_softmax_back<scalar_t>(
          table_of(saved[3]),
          {at(z), {at(saved[1]), at(saved[2])}, {at(grad[0]), at(grad[1])}, at(by_score), at(by_z)},
          stream());
    });
    return {by_score, by_z, {}, {}};
  }
};

struct MixPairs : Function<MixPairs> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& by_row,
                            const c10::optional<at::Tensor>& maybe_by_column,
                            const at::Tensor& x_given, const c10::optional<at::Tensor>& maybe_base,
                            const at::Tensor& layout, bool room) {
    const at::Tensor x = x_given.stride(1) == 1 ? x_given : x_given.contiguous();
    const at::Tensor rows = by_row.contiguous();
    const at::Tensor columns = maybe_by_column ? maybe_by_column->contiguous() : at::Tensor();
    const int64_t h = x.size(1);
    at::Tensor base;
    if (maybe_base) base = maybe_base->stride(1) == 1 ? *maybe_base : maybe_base->contiguous();
    at::Tensor out = buffer(room, {x.size(0), h}, x);
    // Without weights by column the second texts' rows are not written.
    if (!columns.defined()) base.defined() ? out.copy_(base) : out.zero_();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_mix", [&] {
      cuda::pair_mix(table_of(layout), h, rows.data_ptr<scalar_t>(), pointer<scalar_t>(columns),
                     x.data_ptr<scalar_t>(), x.stride(0), pointer<scalar_t>(base),
                     base.defined() ? base.stride(0) : 0, out.data_ptr<scalar_t>(), stream());
    });
    context->save_for_backward({rows, columns, x, layout});
    context->saved_data["based"] = maybe_base.has_value();
    context->saved_data["room"] = room;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &rows = saved[0], &columns = saved[1], &x = saved[2];
    const at::Tensor grad = grads[0].contiguous();
    const int64_t h = x.size(1);
    const bool room = context->saved_data["room"].toBool();
    const at::Tensor to_rows = buffer(room, rows.sizes(), rows);
    const at::Tensor to_columns =
        columns.defined() ? buffer(room, columns.sizes(), columns) : at::Tensor();
    // Without weights by column the first texts' rows are not written.
    const at::Tensor to_x = buffer(room || !columns.defined(), {x.size(0), h}, x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_mix_backward", [&] {
      cuda::pair_mix_back(table_of(saved[3]), h, pointer<scalar_t>(rows),
                          pointer<scalar_t>(columns), pointer<scalar_t>(x), x.stride(0),
                          pointer<scalar_t>(grad), pointer<scalar_t>(to_rows),
                          pointer<scalar_t>(to_columns), pointer<scalar_t>(to_x), stream());
    });
    const bool based = context->saved_data["based"].toBool();
    return {to_rows, to_columns, to_x, based ? grad : at::Tensor(), {}, {}};
  }
};

struct SumPairs : Function<SumPairs> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x_given,
                            const at::Tensor& layout) {
    const at::Tensor x = x_given.contiguous();
    const int64_t h = x.size(1);
    at::Tensor out = at::empty({layout.size(0), 2 * h}, like(x));
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_sums", [&] {
      cuda::pair_sums(table_of(layout), h, x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
                      stream());
    });
    context->save_for_backward({layout});
    context->saved_data["rows"] = x.size(0);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor grad = grads[0].contiguous();
    const int64_t h = grad.size(1) / 2;
    at::Tensor out = at::zeros({context->saved_data["rows"].toInt(), h}, like(grad));
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "pair_sums_backward", [&] {
      cuda::pair_sums_back(table_of(context->get_saved_variables()[0]), h,
                           grad.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), stream());
    });
    return {out, {}};
  }
};

}  // namespace

at::Tensor pair_scores(const at::Tensor& x, const Pairs& pairs, int64_t heads) {
  return ScorePairs::apply(x, pairs.device, heads, pairs.cell_count(), pairs.has_room());
}

PairWeights pair_softmax(const at::Tensor& scores, const at::Tensor& z, const Pairs& pairs) {
  const variable_list out = SoftmaxPairs::apply(scores, z, pairs.device, pairs.has_room());
  return {out[0], out[1]};
}

at::Tensor pair_mix(const PairWeights& weights, const at::Tensor& x, const Pairs& pairs,
                    const at::Tensor& base) {
  return MixPairs::apply(weights.by_row, if_defined(weights.by_column), x, if_defined(base),
                         pairs.device, pairs.has_room());
}

at::Tensor pair_sums(const at::Tensor& x, const Pairs& pairs) {
  return SumPairs::apply(x, pairs.device);
}

}  // namespace hardkuma::on_gpu
