#include "hardkuma/nn/bi_encoder.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "hardkuma/nn/linear.h"

namespace hardkuma {

BiEncoderImpl::BiEncoderImpl(CellKind cell, const EncoderOptions& options, RandomKey key)
    : cell_(cell), options_(options) {
  const int64_t d = options.in_features;
  const int64_t h = options.hidden;
  // Each gate is a map of its own, so the fan-out is that of one gate.
  if (cell == CellKind::Lstm) {
    w_ih_ = register_parameter("w_ih", xavier_uniform({8 * h, d}, d, h, key.with(0)));
    w_hh_ = register_parameter("w_hh", xavier_uniform({2, 4 * h, h}, h, h, key.with(1)));
    b_ih_ = register_parameter("b_ih", at::zeros({8 * h}));
    b_hh_ = register_parameter("b_hh", at::zeros({8 * h}));
  } else {
    w_ih_ = register_parameter("w_ih", xavier_uniform({6 * h, d}, d, h, key.with(0)));
    w_hh_ = register_parameter("w_hh", xavier_uniform({2, h, h}, h, h, key.with(1)));
    b_gate_ = register_parameter("b_gate", at::zeros({2, h}));
    b_out_ = register_parameter("b_out", at::zeros({2, h}));
  }
}

RecurrentWeights BiEncoderImpl::weights() const {
  if (cell_ == CellKind::Lstm) return {w_ih_, w_hh_, (b_ih_ + b_hh_).view({2, -1}), {}};
  return {w_ih_, w_hh_, b_gate_, b_out_};
}

at::Tensor BiEncoderImpl::infer(const ProjectedInput& input, const Packed& packed,
                                bool final_only) const {
  const at::NoGradGuard no_grad;
  return infer_recurrence(cell_, input, weights(), packed, final_only);
}

at::Tensor BiEncoderImpl::states(const at::Tensor& x, const Packed& packed) {
  return bi_recurrence(cell_, {x, {}, {}, {}}, weights(), packed);
}

at::Tensor BiEncoderImpl::summary(const at::Tensor& x, const Packed& packed) {
  return bi_recurrence_ends(cell_, {x, {}, {}, {}}, weights(), packed);
}

Reading BiEncoderImpl::read(const Packed& packed, const at::Tensor& z) const {
  if (packed.on_gpu()) return {{}, packed, {}, packed.sequences()};  // the kernels select the rows
  if (!skips()) return {nonzero_rows(z), packed, {}, packed.sequences()};
  SelectedRows selected = select_nonzero(packed, z);
  return {selected.rows, std::move(selected.packed), selected.sequences, packed.sequences()};
}

at::Tensor BiEncoderImpl::summary(const at::Tensor& x, const at::Tensor& z,
                                  const Reading& reading) {
  const bool fades = options_.rule == ReadingRule::Fade;
  const at::Tensor none;
  if (!skips() || reading.packed.on_gpu()) {
    return bi_recurrence_ends(cell_, {x, fades ? none : z, reading.rows, fades ? z : none},
                              weights(), reading.packed, skips());
  }
  const at::Tensor nothing = at::zeros({reading.batch, width()}, x.options());
  if (reading.packed.rows() == 0) return nothing;
  return nothing.index_copy(0, reading.sequences,
                            bi_recurrence_ends(cell_, {x, fades ? none : z, {}, fades ? z : none},
                                               weights(), reading.packed));
}

at::Tensor BiEncoderImpl::project(const at::Tensor& x) const {
  const at::NoGradGuard no_grad;
  return at::mm(x, w_ih_.t());
}

at::Tensor BiEncoderImpl::states_of(std::vector<const float*> words, const Packed& packed) const {
  return infer({std::move(words), {}}, packed, /*final_only=*/false);
}

at::Tensor BiEncoderImpl::summary_of(std::vector<const float*> words, const Packed& packed) const {
  return infer({std::move(words), {}}, packed, /*final_only=*/true);
}

at::Tensor BiEncoderImpl::summary_of(const std::vector<const float*>& words, const at::Tensor& z,
                                     const Reading& reading) const {
  const float* value = z.data_ptr<float>();
  if (!skips()) {
    const auto n = static_cast<size_t>(reading.packed.rows());
    ProjectedInput input{std::vector<const float*>(n), std::vector<float>(n)};
    const int64_t* row = reading.rows.data_ptr<int64_t>();
    for (size_t i = 0; i < words.size(); ++i) {
      input.words[static_cast<size_t>(row[i])] = words[i];
      input.scale[static_cast<size_t>(row[i])] = value[i];
    }
    return infer(input, reading.packed, /*final_only=*/true);
  }
  at::Tensor out = at::zeros({reading.batch, width()});
  if (reading.packed.rows() == 0) return out;
  const std::vector<float> weight(value, value + words.size());
  const bool all_one = std::all_of(weight.begin(), weight.end(), [](float w) { return w == 1.0f; });
  ProjectedInput input{words, {}};
  if (!all_one) (options_.rule == ReadingRule::Fade ? input.fade : input.scale) = weight;
  return out.index_copy_(0, reading.sequences, infer(input, reading.packed, /*final_only=*/true));
}

}  // namespace hardkuma
