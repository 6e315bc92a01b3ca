#include "hardkuma/nn/encoder.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "hardkuma/nn/cuda/on_gpu.h"
#include "hardkuma/nn/linear.h"

namespace hardkuma {

BiEncoderImpl::BiEncoderImpl(const BiEncoderOptions& options, RandomKey key) : options_(options) {
  const int64_t d = options.in_features;
  const int64_t h = options.hidden;
  // Each gate is a map of its own, so the fan-out is that of one gate.
  if (options.cell == CellKind::Lstm) {
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
  if (options_.cell == CellKind::Lstm) return {w_ih_, w_hh_, (b_ih_ + b_hh_).view({2, -1}), {}};
  return {w_ih_, w_hh_, b_gate_, b_out_};
}

at::Tensor BiEncoderImpl::run(const RecurrentInput& input, const Packed& packed) const {
  if (input.x.is_cuda()) {
    return on_gpu::bi_recurrence(options_.cell, input.x, {}, weights(), packed,
                                 /*final_only=*/false, /*skip=*/false);
  }
  return options_.cell == CellKind::Lstm ? bi_recurrence<LstmCell>(input, weights(), packed)
                                         : bi_recurrence<RcnnCell>(input, weights(), packed);
}

at::Tensor BiEncoderImpl::infer(const ProjectedInput& input, const Packed& packed,
                                bool final_only) const {
  const at::NoGradGuard no_grad;
  return options_.cell == CellKind::Lstm
             ? infer_recurrence<LstmCell>(input, weights(), packed, final_only)
             : infer_recurrence<RcnnCell>(input, weights(), packed, final_only);
}

at::Tensor BiEncoderImpl::states(const at::Tensor& x, const Packed& packed) {
  return run({x, {}, {}}, packed);
}

Reading BiEncoderImpl::read(const Packed& packed, const at::Tensor& z) const {
  if (z.is_cuda()) return {{}, packed, {}, packed.sequences()};  // it finds them by itself
  if (options_.cell == CellKind::Lstm) {
    return {nonzero_rows(z), packed, {}, packed.sequences()};
  }
  Kept kept = keep_nonzero(packed, z);
  return {kept.rows, std::move(kept.packed), kept.sequences, packed.sequences()};
}

at::Tensor BiEncoderImpl::final(const at::Tensor& x, const at::Tensor& z, const Reading& reading) {
  if (x.is_cuda()) {
    return on_gpu::bi_recurrence(options_.cell, x, z, weights(), reading.packed,
                                 /*final_only=*/true, /*skip=*/options_.cell == CellKind::Rcnn);
  }
  if (options_.cell == CellKind::Lstm) {
    return final_states(run({x, z, reading.rows}, reading.packed), reading.packed);
  }
  const at::Tensor nothing = at::zeros({reading.batch, 2 * options_.hidden}, x.options());
  if (reading.packed.rows() == 0) return nothing;
  return nothing.index_copy(0, reading.sequences,
                            final_states(run({x, z, {}}, reading.packed), reading.packed));
}

at::Tensor BiEncoderImpl::project(const at::Tensor& x) const {
  const at::NoGradGuard no_grad;
  return at::mm(x, w_ih_.t());
}

at::Tensor BiEncoderImpl::infer_states(std::vector<const float*> words,
                                       const Packed& packed) const {
  return infer({std::move(words), {}}, packed, /*final_only=*/false);
}

at::Tensor BiEncoderImpl::infer_final(std::vector<const float*> words, const Packed& packed) const {
  return infer({std::move(words), {}}, packed, /*final_only=*/true);
}

at::Tensor BiEncoderImpl::infer_final(const std::vector<const float*>& words, const at::Tensor& z,
                                      const Reading& reading) const {
  const float* value = z.data_ptr<float>();
  if (options_.cell == CellKind::Lstm) {
    const auto n = static_cast<size_t>(reading.packed.rows());
    ProjectedInput input{std::vector<const float*>(n), std::vector<float>(n)};
    const int64_t* row = reading.rows.data_ptr<int64_t>();
    for (size_t i = 0; i < words.size(); ++i) {
      input.words[static_cast<size_t>(row[i])] = words[i];
      input.scale[static_cast<size_t>(row[i])] = value[i];
    }
    return infer(input, reading.packed, /*final_only=*/true);
  }
  at::Tensor out = at::zeros({reading.batch, 2 * options_.hidden});
  if (reading.packed.rows() == 0) return out;
  const ProjectedInput input{words, {value, value + words.size()}};
  return out.index_copy_(0, reading.sequences, infer(input, reading.packed, /*final_only=*/true));
}

at::Tensor BiEncoderImpl::final(const at::Tensor& x, const Packed& packed) {
  if (x.is_cuda()) {
    return on_gpu::bi_recurrence(options_.cell, x, {}, weights(), packed, /*final_only=*/true,
                                 /*skip=*/false);
  }
  return final_states(states(x, packed), packed);
}

}  // namespace hardkuma
