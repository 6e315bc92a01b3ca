#include "hardkuma/nn/pair_attention.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hardkuma/nn/cuda/on_gpu.h"
#include "hardkuma/nn/gemm.h"

namespace hardkuma {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::variable_list;

at::TensorOptions plain(const at::Tensor& x) {
  return x.options().requires_grad(false);
}

// An autograd node saves the layout as a flat list.
void save(AutogradContext* context, const Pairs& pairs) {
  std::vector<int64_t> flat;
  for (size_t i = 0; i < pairs.first.size(); ++i) {
    for (const Rows& rows : {pairs.first[i], pairs.second[i]}) {
      flat.push_back(rows.from);
      flat.push_back(rows.count);
    }
  }
  context->saved_data["pairs"] = std::move(flat);
}

// One pair, for the loops below.
struct Block {
  Rows first;
  Rows second;
  int64_t cell;
};

std::vector<Block> saved_blocks(AutogradContext* context) {
  const std::vector<int64_t> flat = context->saved_data["pairs"].toIntVector();
  std::vector<Block> out;
  int64_t cell = 0;
  for (size_t i = 0; i < flat.size(); i += 4) {
    out.push_back({{flat[i], flat[i + 1]}, {flat[i + 2], flat[i + 3]}, cell});
    cell += flat[i + 1] * flat[i + 3];
  }
  return out;
}

std::vector<Block> blocks_of(const Pairs& pairs) {
  std::vector<Block> out;
  for (size_t i = 0; i < pairs.first.size(); ++i) {
    out.push_back({pairs.first[i], pairs.second[i], pairs.cells[i]});
  }
  return out;
}

struct ScorePairs : Function<ScorePairs> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& features,
                            const Pairs& pairs, int64_t heads) {
    const at::Tensor x = features.contiguous();
    const int64_t width = x.size(1);
    const int64_t h = width / heads;
    at::Tensor out = at::empty({heads, pairs.cell_count()}, plain(x));
    context->save_for_backward({x});
    const std::vector<Block> blocks = blocks_of(pairs);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_scores", [&] {
      const auto* in = x.data_ptr<scalar_t>();
      for (int64_t k = 0; k < heads; ++k) {
        auto* scores = out.data_ptr<scalar_t>() + k * pairs.cell_count();
        for (const Block& b : blocks) {
          gemm({false, true}, b.first.count, b.second.count, h, in + b.first.from * width + k * h,
               width, in + b.second.from * width + k * h, width, scalar_t(0), scores + b.cell,
               b.second.count);
        }
      }
    });
    save(context, pairs);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor x = context->get_saved_variables()[0];
    const at::Tensor grad = grads[0].contiguous();  // [heads, C]
    const int64_t heads = grad.size(0);
    const int64_t width = x.size(1);
    const int64_t h = width / heads;
    // Every row belongs to a pair and is written.
    at::Tensor out = at::empty(x.sizes(), plain(x));
    const std::vector<Block> blocks = saved_blocks(context);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_scores_backward", [&] {
      const auto* in = x.data_ptr<scalar_t>();
      for (int64_t k = 0; k < heads; ++k) {
        const auto* g = grad.data_ptr<scalar_t>() + k * grad.size(1);
        auto* to = out.data_ptr<scalar_t>() + k * h;
        const auto* from = in + k * h;
        for (const Block& b : blocks) {
          const int64_t n = b.first.count;
          const int64_t m = b.second.count;
          const bool itself = b.first.from == b.second.from;
          gemm({false, false}, n, h, m, g + b.cell, m, from + b.second.from * width, width,
               scalar_t(0), to + b.first.from * width, width);
          gemm({true, false}, m, h, n, g + b.cell, m, from + b.first.from * width, width,
               scalar_t(itself ? 1 : 0), to + b.second.from * width, width);
        }
      }
    });
    return {out, at::Tensor(), at::Tensor()};
  }
};

// A line of cells: a row of a pair's cells, or a column.
template <typename Visit>
void for_each_line(const Block& b, bool columns, Visit visit) {
  const int64_t n = b.first.count;
  const int64_t m = b.second.count;
  for (int64_t i = 0; i < (columns ? m : n); ++i) {
    if (columns) {
      visit(b.cell + i, n, m);
    } else {
      visit(b.cell + i * m, m, int64_t{1});
    }
  }
}

struct SoftmaxPairs : Function<SoftmaxPairs> {
  static variable_list forward(AutogradContext* context, const at::Tensor& scores_given,
                               const at::Tensor& z_given, const Pairs& pairs) {
    const at::Tensor s = scores_given.contiguous();
    const at::Tensor z = z_given.contiguous();
    const variable_list out{at::empty_like(s), at::empty_like(s)};
    // e^score / Σ z e^score; the weight is z times this.
    const variable_list slopes{at::empty_like(s), at::empty_like(s)};
    context->save_for_backward({z, slopes[0], slopes[1]});
    const std::vector<Block> blocks = blocks_of(pairs);
    AT_DISPATCH_FLOATING_TYPES(s.scalar_type(), "pair_softmax", [&] {
      const auto* score = s.data_ptr<scalar_t>();
      const auto* gate = z.data_ptr<scalar_t>();
      for (const bool columns : {false, true}) {
        auto* weight = out[columns ? 1 : 0].data_ptr<scalar_t>();
        auto* slope = slopes[columns ? 1 : 0].data_ptr<scalar_t>();
        for (const Block& b : blocks) {
          for_each_line(b, columns, [&](int64_t at, int64_t count, int64_t stride) {
            auto most = -std::numeric_limits<scalar_t>::infinity();
            for (int64_t j = at; j < at + count * stride; j += stride) {
              if (gate[j] > 0) most = std::max(most, score[j]);
            }
            const bool none = std::isinf(most);
            scalar_t sum = 0;
            for (int64_t j = at; j < at + count * stride; j += stride) {
              // A closed cell's score may be far above the others; the bound avoids an overflow.
              slope[j] = none ? scalar_t(0) : std::exp(std::min(score[j] - most, scalar_t(30)));
              sum += gate[j] * slope[j];
            }
            for (int64_t j = at; j < at + count * stride; j += stride) {
              slope[j] = none ? scalar_t(0) : slope[j] / sum;
              weight[j] = gate[j] * slope[j];
            }
          });
        }
      }
    });
    save(context, pairs);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& z = saved[0];
    at::Tensor by_score = at::zeros_like(z);
    at::Tensor by_z = at::zeros_like(z);
    const std::vector<Block> blocks = saved_blocks(context);
    AT_DISPATCH_FLOATING_TYPES(z.scalar_type(), "pair_softmax_backward", [&] {
      const auto* gate = z.data_ptr<scalar_t>();
      auto* to_score = by_score.data_ptr<scalar_t>();
      auto* to_z = by_z.data_ptr<scalar_t>();
      for (const bool columns : {false, true}) {
        const at::Tensor grad = grads[columns ? 1 : 0].contiguous();
        const auto* g = grad.data_ptr<scalar_t>();
        const auto* slope = saved[columns ? 2 : 1].data_ptr<scalar_t>();
        for (const Block& b : blocks) {
          for_each_line(b, columns, [&](int64_t at, int64_t count, int64_t stride) {
            scalar_t mean = 0;
            for (int64_t j = at; j < at + count * stride; j += stride) {
              mean += gate[j] * slope[j] * g[j];
            }
            for (int64_t j = at; j < at + count * stride; j += stride) {
              const scalar_t change = slope[j] * (g[j] - mean);
              to_z[j] += change;
              to_score[j] += gate[j] * change;
            }
          });
        }
      }
    });
    return {by_score, by_z, at::Tensor()};
  }
};

struct MixPairs : Function<MixPairs> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& by_row,
                            const c10::optional<at::Tensor>& maybe_by_column,
                            const at::Tensor& x_given, const c10::optional<at::Tensor>& maybe_base,
                            const Pairs& pairs) {
    const at::Tensor x = x_given.stride(1) == 1 ? x_given : x_given.contiguous();
    const at::Tensor rows = by_row.contiguous();
    const at::Tensor columns = maybe_by_column ? maybe_by_column->contiguous() : at::Tensor();
    const int64_t h = x.size(1);
    const int64_t ld = x.stride(0);  // rows may be strided
    context->save_for_backward({rows, columns, x});
    context->saved_data["based"] = maybe_base.has_value();
    at::Tensor out = maybe_base ? maybe_base->clone(at::MemoryFormat::Contiguous)
                                : at::zeros({x.size(0), h}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_mix", [&] {
      const auto* in = x.data_ptr<scalar_t>();
      auto* to = out.data_ptr<scalar_t>();
      for (const Block& b : blocks_of(pairs)) {
        const int64_t n = b.first.count;
        const int64_t m = b.second.count;
        gemm({false, false}, n, h, m, rows.data_ptr<scalar_t>() + b.cell, m,
             in + b.second.from * ld, ld, scalar_t(1), to + b.first.from * h, h);
        if (!columns.defined()) continue;
        gemm({true, false}, m, h, n, columns.data_ptr<scalar_t>() + b.cell, m,
             in + b.first.from * ld, ld, scalar_t(1), to + b.second.from * h, h);
      }
    });
    save(context, pairs);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& rows = saved[0];
    const at::Tensor& columns = saved[1];
    const at::Tensor& x = saved[2];
    const at::Tensor grad = grads[0].contiguous();
    const int64_t h = x.size(1);
    const int64_t ld = x.stride(0);
    at::Tensor to_rows = at::empty(rows.sizes(), plain(rows));
    at::Tensor to_columns =
        columns.defined() ? at::empty(columns.sizes(), plain(columns)) : at::Tensor();
    const bool based = context->saved_data["based"].toBool();
    // With weights by column every row is written; without, only the second texts' rows.
    at::Tensor to_x = columns.defined() ? at::empty({x.size(0), h}, plain(x))
                                        : at::zeros({x.size(0), h}, plain(x));
    const std::vector<Block> blocks = saved_blocks(context);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_mix_backward", [&] {
      const auto* in = x.data_ptr<scalar_t>();
      const auto* g = grad.data_ptr<scalar_t>();
      auto* to = to_x.data_ptr<scalar_t>();
      for (const Block& b : blocks) {
        const int64_t n = b.first.count;
        const int64_t m = b.second.count;
        const int64_t first = b.first.from * h;
        const int64_t second = b.second.from * h;
        gemm({false, true}, n, m, h, g + first, h, in + b.second.from * ld, ld, scalar_t(0),
             to_rows.data_ptr<scalar_t>() + b.cell, m);
        gemm({true, false}, m, h, n, rows.data_ptr<scalar_t>() + b.cell, m, g + first, h,
             scalar_t(0), to + second, h);
        if (!columns.defined()) continue;
        gemm({false, true}, n, m, h, in + b.first.from * ld, ld, g + second, h, scalar_t(0),
             to_columns.data_ptr<scalar_t>() + b.cell, m);
        gemm({false, false}, n, h, m, columns.data_ptr<scalar_t>() + b.cell, m, g + second, h,
             scalar_t(first == second ? 1 : 0), to + first, h);
      }
    });
    return {to_rows, to_columns, to_x, based ? grad : at::Tensor(), at::Tensor()};
  }
};

struct SumPairs : Function<SumPairs> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x_given,
                            const Pairs& pairs) {
    const at::Tensor x = x_given.contiguous();
    const int64_t h = x.size(1);
    context->saved_data["rows"] = x.size(0);
    at::Tensor out = at::zeros({pairs.count(), 2 * h}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "pair_sums", [&] {
      auto* to = out.data_ptr<scalar_t>();
      for (const Block& b : blocks_of(pairs)) {
        for (const Rows& rows : {b.first, b.second}) {
          for (int64_t r = rows.from; r < rows.from + rows.count; ++r) {
            const auto* in = x.data_ptr<scalar_t>() + r * h;
            for (int64_t j = 0; j < h; ++j) to[j] += in[j];
          }
          to += h;
        }
      }
    });
    save(context, pairs);
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const at::Tensor grad = grads[0].contiguous();
    const int64_t h = grad.size(1) / 2;
    // Every row belongs to a text and is written.
    at::Tensor out = at::empty({context->saved_data["rows"].toInt(), h}, plain(grad));
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "pair_sums_backward", [&] {
      const auto* g = grad.data_ptr<scalar_t>();
      for (const Block& b : saved_blocks(context)) {
        for (const Rows& rows : {b.first, b.second}) {
          for (int64_t r = rows.from; r < rows.from + rows.count; ++r) {
            std::copy(g, g + h, out.data_ptr<scalar_t>() + r * h);
          }
          g += h;
        }
      }
    });
    return {out, at::Tensor()};
  }
};

}  // namespace

at::Tensor pair_scores(const at::Tensor& x, const Pairs& pairs, int64_t heads) {
  return pairs.on_gpu() ? on_gpu::pair_scores(x, pairs, heads) : ScorePairs::apply(x, pairs, heads);
}

PairWeights pair_softmax(const at::Tensor& scores, const at::Tensor& z, const Pairs& pairs) {
  const at::Tensor open = z.defined() ? z : at::ones_like(scores);
  if (pairs.on_gpu()) return on_gpu::pair_softmax(scores, open, pairs);
  const variable_list out = SoftmaxPairs::apply(scores, open, pairs);
  return {out[0], out[1]};
}

at::Tensor pair_mix(const PairWeights& weights, const at::Tensor& x, const Pairs& pairs,
                    const at::Tensor& base) {
  if (pairs.on_gpu()) return on_gpu::pair_mix(weights, x, pairs, base);
  return MixPairs::apply(weights.by_row, if_defined(weights.by_column), x, if_defined(base), pairs);
}

at::Tensor pair_sums(const at::Tensor& x, const Pairs& pairs) {
  return pairs.on_gpu() ? on_gpu::pair_sums(x, pairs) : SumPairs::apply(x, pairs);
}

}  // namespace hardkuma
