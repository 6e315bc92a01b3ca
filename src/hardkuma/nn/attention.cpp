#include "hardkuma/nn/attention.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hardkuma {
namespace {

// Where each row stands in a table of steps × sequences.
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
  const at::Tensor values = scores.detach().to(at::kCPU, at::kDouble).contiguous();
  const double* value = values.data_ptr<double>();
  at::Tensor out = at::zeros({packed.rows()}, scores.options().requires_grad(false));
  std::vector<int64_t> order;
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < packed.sequences(); ++i) {
    const int64_t length = packed.lengths[static_cast<size_t>(i)];
    order.clear();
    for (int64_t t = 0; t < length; ++t) order.push_back(packed.row(t, i));
    const auto wanted = std::llround(share * static_cast<double>(length));
    const int64_t count = std::clamp<int64_t>(wanted, 1, length);
    const auto better = [&](int64_t x, int64_t y) {
      return value[x] != value[y] ? value[x] > value[y] : x < y;
    };
    std::partial_sort(order.begin(), order.begin() + count, order.end(), better);
    chosen.insert(chosen.end(), order.begin(), order.begin() + count);
  }
  return out.index_fill_(0, at::tensor(chosen, at::kLong).to(scores.device()), 1.0);
}

}  // namespace hardkuma
