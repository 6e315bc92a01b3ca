// infer_recurrence of recurrence.h: the same recurrence at prediction.

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <vector>

#include "hardkuma/nn/gemm.h"
#include "hardkuma/nn/recurrence.h"

namespace hardkuma {

namespace {

template <typename Cell>
at::Tensor infer(const ProjectedInput& input, const RecurrentWeights& weights, const Packed& packed,
                 bool final_only) {
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
  std::vector<float> gates(static_cast<size_t>(batch * R * h));
  // The other gates are read from the projections, unless they have to be scaled.
  const int64_t rest = (G - R) * h;
  std::vector<float> scaled(input.scale.empty() ? 0 : static_cast<size_t>(batch * G * h));
  std::vector<const float*> inputs(static_cast<size_t>(batch));
  const std::vector<float> none(static_cast<size_t>(G * h));
  // What the cells say, before it is faded.
  const bool fades = !input.fade.empty();
  std::vector<float> cell_carried(fades ? static_cast<size_t>(batch * C * h) : 0);
  std::vector<float> cell_hidden(fades ? static_cast<size_t>(batch * 2 * h) : 0);
  std::vector<float> carried[2];  // of the previous and this step, alternating
  for (std::vector<float>& buffer : carried) buffer.resize(static_cast<size_t>(batch * C * h));
  for (int direction = 0; direction < 2; ++direction) {
    float* states = out.data_ptr<float>() + direction * h;
    CellForward<float> step{};
    step.h = h;
    step.gates = gates.data();
    step.ld_gates = R * h;
    step.inputs = inputs.data();
    step.ld_carried = C * h;
    step.ld_hidden = 2 * h;
    if (out_bias.defined()) step.out_bias = out_bias.data_ptr<float>() + direction * h;
    for (int64_t s = 0; s < packed.steps(); ++s) {
      const StepRows at = step_rows(packed, direction, s);
      for (int64_t r = 0; r < at.rows; ++r) {
        const auto row = static_cast<size_t>(at.offset + r);
        const float* word = input.words[row];
        const float by = input.scale.empty() ? 1.0f : input.scale[row];
        if (word != nullptr) word += direction * G * h;
        add_scaled(R * h, bias.data_ptr<float>() + direction * R * h, word, by,
                   gates.data() + r * R * h);
        const float*& read = inputs[static_cast<size_t>(r)];
        read = word == nullptr ? none.data() : word;
        if (rest > 0 && by != 1.0f) {
          float* to = scaled.data() + r * G * h;
          add_scaled(rest, none.data(), read + R * h, by, to + R * h);
          read = to;
        }
      }
      step.rows = at.rows;
      step.previous_rows = at.previous_rows;
      step.previous = carried[s % 2].data();
      float* const after = carried[(s + 1) % 2].data();
      float* const hidden = states + (final_only ? 0 : at.offset * 2 * h);
      const float* const before = states + (final_only ? 0 : at.previous_offset * 2 * h);
      step.carried = fades ? cell_carried.data() : after;
      step.hidden = fades ? cell_hidden.data() : hidden;
      gemm(at.previous_rows, R * h, h, before, 2 * h,
           recurrent.data_ptr<float>() + direction * R * h * h, R * h, 1.0f, gates.data(), R * h);
      Cell::forward(step);
      for (int64_t r = 0; fades && r < at.rows; ++r) {
        const float z = input.fade[static_cast<size_t>(at.offset + r)];
        const bool first = r >= at.previous_rows;
        fade(C * h, z, first ? nullptr : step.previous + r * C * h, step.carried + r * C * h,
             after + r * C * h);
        fade(h, z, first ? nullptr : before + r * 2 * h, step.hidden + r * 2 * h,
             hidden + r * 2 * h);
      }
    }
  }
  return out;
}

}  // namespace

at::Tensor infer_recurrence(CellKind cell, const ProjectedInput& input,
                            const RecurrentWeights& weights, const Packed& packed,
                            bool final_only) {
  return cell == CellKind::Lstm ? infer<LstmCell>(input, weights, packed, final_only)
                                : infer<RcnnCell>(input, weights, packed, final_only);
}

}  // namespace hardkuma
