#include "hardkuma/model/choice.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "hardkuma/nn/budget.h"

namespace hardkuma {

at::Tensor chosen(const Choice& choice, const at::Tensor& z, const at::Tensor& p_zero,
                  const Batch& batch) {
  if (choice.budget == 0.0) {
    // Compares P(z = 0): 1 - P is less precise as a float, and many gates may be nearly equal.
    return choice.threshold > 0.0 ? (p_zero <= 1.0 - choice.threshold).to(z.scalar_type()) : z;
  }
  const at::Tensor here = p_zero.to(at::kCPU, at::kFloat).contiguous();
  at::Tensor out = at::zeros(here.sizes(), here.options());
  std::vector<float> scores;
  for (int64_t i = 0; i < batch.examples(); ++i) {
    const std::vector<int64_t> units = batch.units_of(i);
    scores.clear();
    for (const int64_t unit : units) scores.push_back(-here.data_ptr<float>()[unit]);
    const int64_t count = budget_count(choice.budget, static_cast<int64_t>(units.size()));
    const std::vector<int64_t> places =
        choice.spans > 0 ? best_spans(scores, count, choice.spans) : top_places(scores, count);
    for (const int64_t place : places) {
      out.data_ptr<float>()[units[static_cast<size_t>(place)]] = 1.0f;
    }
  }
  return out.to(z.device(), z.scalar_type());
}

}  // namespace hardkuma
