#pragma once

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <vector>

#include "hardkuma/nn/encoder_kind.h"
#include "hardkuma/nn/recurrence.h"

namespace hardkuma::test {

/// The oracle of the fused recurrences: one sequence at a time, one step at a time, plain tensor
/// operations, equations as printed.
struct PlainState {
  at::Tensor hidden;
  at::Tensor c1;
  at::Tensor c2;
};

inline PlainState plain_start(int64_t h, const at::TensorOptions& options) {
  return {at::zeros({h}, options), at::zeros({h}, options), at::zeros({h}, options)};
}

/// A projection with its bias, which only the first gates may have.
inline at::Tensor with_bias(const at::Tensor& projected, const at::Tensor& bias) {
  const int64_t n = bias.size(0);
  return at::cat({projected.slice(0, 0, n) + bias, projected.slice(0, n)});
}

/// `input` is the input's projection with its bias, gates side by side.
inline PlainState plain_step(CellKind cell, const PlainState& before, const at::Tensor& input,
                             const at::Tensor& w_hh, const at::Tensor& out_bias) {
  if (cell == CellKind::Lstm) {
    const auto gate = (input + at::mv(w_hh, before.hidden)).chunk(4);
    const at::Tensor c =
        at::sigmoid(gate[1]) * before.c1 + at::sigmoid(gate[0]) * at::tanh(gate[2]);
    return {at::sigmoid(gate[3]) * at::tanh(c), c, {}};
  }
  const auto split = input.chunk(3);
  const at::Tensor keep = at::sigmoid(split[0] + at::mv(w_hh, before.hidden));
  const at::Tensor c1 = keep * before.c1 + (1 - keep) * split[1];
  const at::Tensor c2 = keep * before.c2 + (1 - keep) * (before.c1 + split[2]);
  return {at::tanh(c2 + out_bias), c1, c2};
}

/// The state moved by z from the one before towards the cell's.
inline PlainState plain_fade(const PlainState& before, const PlainState& cell,
                             const at::Tensor& z) {
  const auto moved = [&](const at::Tensor& a, const at::Tensor& b) {
    return b.defined() ? a + z * (b - a) : b;
  };
  return {moved(before.hidden, cell.hidden), moved(before.c1, cell.c1), moved(before.c2, cell.c2)};
}

/// States of all words. With z [N], by the published rule an LSTM reads z·x and an RCNN carries its
/// state over words with z = 0; else states fade.
inline at::Tensor plain_bi_recurrence(CellKind cell, const at::Tensor& x, const at::Tensor& z,
                                      const RecurrentWeights& w, const Packed& packed,
                                      ReadingRule rule = ReadingRule::Published) {
  const bool fades = z.defined() && rule == ReadingRule::Fade;
  const int64_t h = w.w_hh.size(2);
  std::vector<at::Tensor> rows(static_cast<size_t>(packed.rows()));
  const auto w_ih = w.w_ih.chunk(2);
  for (int64_t i = 0; i < packed.sequences(); ++i) {
    const int64_t length = packed.lengths[static_cast<size_t>(i)];
    std::vector<at::Tensor> halves[2];
    for (int d = 0; d < 2; ++d) {
      const auto side = static_cast<size_t>(d);
      halves[d].resize(static_cast<size_t>(length));
      PlainState state = plain_start(h, x.options());
      for (int64_t s = 0; s < length; ++s) {
        const int64_t t = d == 0 ? s : length - 1 - s;
        const int64_t row = packed.row(t, i);
        const bool skipped =
            !fades && cell == CellKind::Rcnn && z.defined() && z[row].item<double>() == 0.0;
        if (!skipped) {
          const at::Tensor word = z.defined() && !fades ? x[row] * z[row] : x[row];
          const PlainState next =
              plain_step(cell, state, with_bias(at::mv(w_ih[side], word), w.bias[d]), w.w_hh[d],
                         w.out_bias.defined() ? w.out_bias[d] : w.out_bias);
          state = fades ? plain_fade(state, next, z[row]) : next;
        }
        halves[d][static_cast<size_t>(t)] = state.hidden;
      }
    }
    for (int64_t t = 0; t < length; ++t) {
      rows[static_cast<size_t>(packed.row(t, i))] =
          at::cat({halves[0][static_cast<size_t>(t)], halves[1][static_cast<size_t>(t)]});
    }
  }
  return at::stack(rows);
}

/// Shapes of packed batches worth trying: batch 1, length 1, ties, longest first.
inline const std::vector<std::vector<int64_t>> kLengths = {
    {1}, {7}, {1, 1, 1}, {5, 5, 5}, {9, 4, 4, 2, 1}, {3, 2, 2, 2, 1, 1}, {23, 20, 20, 13, 8, 7, 3}};

/// Copies that gradients can be asked of.
inline std::vector<at::Tensor> leaves_of(const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> out;
  for (const at::Tensor& input : inputs) out.push_back(input.detach().clone().requires_grad_(true));
  return out;
}

/// Gradients of a loss that may not depend on every leaf.
inline std::vector<at::Tensor> gradients(const at::Tensor& loss,
                                         const std::vector<at::Tensor>& leaves) {
  auto out = torch::autograd::grad({loss}, leaves, {}, c10::nullopt, false, /*allow_unused=*/true);
  for (size_t i = 0; i < out.size(); ++i) {
    if (!out[i].defined()) out[i] = at::zeros_like(leaves[i]);
  }
  return out;
}

/// The largest difference of two lists of gradients, relative to each gradient's largest element.
inline double worst_difference(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  double worst = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].numel() == 0) continue;
    const double scale = std::max(1e-6, b[i].abs().max().item<double>());
    const double here = (a[i] - b[i]).abs().max().item<double>() / scale;
    if (!(here <= worst)) worst = here;  // also NaN
    if (std::isnan(worst)) break;
  }
  return worst;
}

}  // namespace hardkuma::test
