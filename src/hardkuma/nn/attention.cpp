#include "hardkuma/nn/attention.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>

#include "hardkuma/nn/budget.h"

namespace hardkuma {
namespace {

// The index of each row in a table of steps × sequences.
at::Tensor table_places(const Packed& packed) {
  at::Tensor out = at::empty({packed.rows()}, at::kLong);
  auto* place = out.data_ptr<int64_t>();
  for (int64_t t = 0; t < packed.steps(); ++t) {
    for (int64_t i = 0; i < packed.sizes[static_cast<size_t>(t)]; ++i) {
      place[packed.row(t, i)] = t * packed.sequences() + i;
    }
  }
  return out;
}

}  // namespace

at::Tensor softmax_over_words(const at::Tensor& scores, const Packed& packed) {
  const at::Tensor places = table_places(packed).to(scores.device());
  const int64_t b = packed.sequences();
  const at::Tensor empty =
      at::full({packed.steps() * b}, -std::numeric_limits<double>::infinity(), scores.options());
  const at::Tensor table = empty.index_copy(0, places, scores).view({packed.steps(), b});
  return at::softmax(table, 0).view({-1}).index_select(0, places);
}

at::Tensor weighted_sum(const at::Tensor& weights, const at::Tensor& states, const Packed& packed) {
  const at::Tensor nothing = at::zeros({packed.sequences(), states.size(1)}, states.options());
  return nothing.index_add(0, packed.sequence_of_row().to(states.device()),
                           weights.unsqueeze(1) * states);
}

at::Tensor top_words(const at::Tensor& scores, const Packed& packed, double share) {
  const at::Tensor values = scores.detach().to(at::kCPU, at::kFloat).contiguous();
  at::Tensor out = at::zeros({packed.rows()}, scores.options().requires_grad(false));
  std::vector<float> of_text;
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < packed.sequences(); ++i) {
    const int64_t length = packed.lengths[static_cast<size_t>(i)];
    of_text.clear();
    for (int64_t t = 0; t < length; ++t) {
      of_text.push_back(values.data_ptr<float>()[packed.row(t, i)]);
    }
    for (const int64_t t : top_places(of_text, budget_count(share, length))) {
      rows.push_back(packed.row(t, i));
    }
  }
  return out.index_fill_(0, at::tensor(rows, at::kLong).to(scores.device()), 1.0);
}

}  // namespace hardkuma
