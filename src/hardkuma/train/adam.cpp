#include "hardkuma/train/adam.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hardkuma/nn/cuda/on_gpu.h"
#include "hardkuma/nn/upload.h"
#include "hardkuma/nn/vector_math.h"

namespace hardkuma {
namespace {

constexpr int64_t kPiece = 16384;
constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr float kEpsilon = 1e-8f;

HARDKUMA_CLONES void add_to(int64_t n, const float* from, float* to) {
  HARDKUMA_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) to[i] += from[i];
}

HARDKUMA_CLONES double sum_of_squares(int64_t n, const float* x) {
  constexpr int64_t kAdamLanes = 16;
  float lanes[kAdamLanes] = {};
  int64_t i = 0;
  for (; i + kAdamLanes <= n; i += kAdamLanes) {
    for (int64_t j = 0; j < kAdamLanes; ++j) lanes[j] += x[i + j] * x[i + j];
  }
  double total = 0.0;
  for (const float lane : lanes) total += lane;
  for (; i < n; ++i) total += static_cast<double>(x[i]) * x[i];
  return total;
}

struct StepSize {
  float scale;  // of the gradient
  float decay;
  float rate;             // learning rate over the first moment's bias correction
  float root_correction;  // square root of the second moment's
};

HARDKUMA_CLONES void apply_step(int64_t n, const StepSize& size, const float* gradient, float* p,
                                float* m, float* v) {
  const auto beta1 = static_cast<float>(kBeta1);
  const auto beta2 = static_cast<float>(kBeta2);
  const auto new1 = static_cast<float>(1.0 - kBeta1);
  const auto new2 = static_cast<float>(1.0 - kBeta2);
  const StepSize s = size;
  HARDKUMA_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const float g = gradient[i] * s.scale + s.decay * p[i];
    const float mean = beta1 * m[i] + new1 * g;
    const float square = beta2 * v[i] + new2 * g * g;
    m[i] = mean;
    v[i] = square;
    p[i] -= s.rate * mean / (std::sqrt(square) / s.root_correction + kEpsilon);
  }
}

}  // namespace

Adam::Adam(std::vector<at::Tensor> parameters, double weight_decay)
    : parameters_(std::move(parameters)),
      weight_decay_(weight_decay),
      scales_(parameters_.size(), 1.0) {
  for (size_t p = 0; p < parameters_.size(); ++p) {
    const at::Tensor& parameter = parameters_[p];
    const auto options = parameter.options().requires_grad(false);
    states_.push_back(
        {0, at::zeros(parameter.sizes(), options), at::zeros(parameter.sizes(), options)});
    if (parameter.is_cuda()) continue;
    sums_.push_back(at::empty(parameter.sizes()));
    for (int64_t from = 0; from < parameter.numel(); from += kPiece) {
      pieces_.push_back({p, from, std::min(kPiece, parameter.numel() - from)});
    }
  }
  squares_.resize(pieces_.size());
  if (!parameters_.empty() && parameters_[0].is_cuda()) {
    const auto options = parameters_[0].options().requires_grad(false);
    partial_ = at::empty({cuda::adam_blocks()}, options.dtype(at::kDouble));
    largest_ = at::zeros({1}, options);
  }
}

double Adam::step(const std::vector<std::vector<at::Tensor>>& gradients, double learning_rate,
                  double clip, Workers& workers) {
  if (parameters_[0].is_cuda()) {
    std::vector<bool> has_gradient;
    for (const at::Tensor& gradient : gradients.at(0)) has_gradient.push_back(gradient.defined());
    const std::vector<float> rates = count_step(has_gradient, learning_rate);
    Upload upload;
    upload.add(rates.data(), static_cast<int64_t>(rates.size() * sizeof(float)));
    const at::Tensor there = upload.send(parameters_[0].device());
    queue(gradients[0], upload.slice(there, 0, at::kFloat), clip);
    return norm_;
  }
  std::vector<std::vector<at::Tensor>> given(parameters_.size());  // contiguous, in worker order
  for (const std::vector<at::Tensor>& list : gradients) {
    for (size_t p = 0; p < list.size(); ++p) {
      if (list[p].defined()) given[p].push_back(list[p].contiguous());
    }
  }
  const auto count = static_cast<int64_t>(pieces_.size());
  const auto each_piece = [&](auto&& work) {
    workers.run([&](int64_t w) {
      for (int64_t i = workers.cut(count, w); i < workers.cut(count, w + 1); ++i) {
        const Piece& piece = pieces_[static_cast<size_t>(i)];
        if (!given[piece.parameter].empty()) work(static_cast<size_t>(i), piece);
      }
    });
  };

  std::fill(squares_.begin(), squares_.end(), 0.0);
  each_piece([&](size_t i, const Piece& piece) {
    float* sum = sums_[piece.parameter].data_ptr<float>() + piece.from;
    const std::vector<at::Tensor>& list = given[piece.parameter];
    const float* first = list.front().data_ptr<float>() + piece.from;
    std::copy(first, first + piece.count, sum);
    for (size_t k = 1; k < list.size(); ++k) {
      add_to(piece.count, list[k].data_ptr<float>() + piece.from, sum);
    }
    squares_[i] = sum_of_squares(piece.count, sum);
  });
  const double norm = std::sqrt(std::accumulate(squares_.begin(), squares_.end(), 0.0));
  if (!std::isfinite(norm)) return norm;

  for (size_t p = 0; p < parameters_.size(); ++p) {
    if (!given[p].empty()) ++states_[p].steps;
  }
  each_piece([&](size_t, const Piece& piece) {
    State& state = states_[piece.parameter];
    const auto steps = static_cast<double>(state.steps);
    const StepSize size{static_cast<float>(norm > clip ? clip / norm : 1.0),
                        static_cast<float>(weight_decay_),
                        static_cast<float>(learning_rate * scales_[piece.parameter] /
                                           (1.0 - std::pow(kBeta1, steps))),
                        static_cast<float>(std::sqrt(1.0 - std::pow(kBeta2, steps)))};
    apply_step(piece.count, size, sums_[piece.parameter].data_ptr<float>() + piece.from,
               parameters_[piece.parameter].data_ptr<float>() + piece.from,
               state.m.data_ptr<float>() + piece.from, state.v.data_ptr<float>() + piece.from);
  });
  return norm;
}

std::vector<float> Adam::count_step(const std::vector<bool>& has_gradient, double learning_rate) {
  std::vector<float> out;
  for (size_t p = 0; p < states_.size(); ++p) {
    if (has_gradient[p]) ++states_[p].steps;
    const auto steps = static_cast<double>(std::max<int64_t>(1, states_[p].steps));
    out.push_back(static_cast<float>(learning_rate * scales_[p] / (1.0 - std::pow(kBeta1, steps))));
    out.push_back(static_cast<float>(std::sqrt(1.0 - std::pow(kBeta2, steps))));
  }
  return out;
}

void Adam::queue(const std::vector<at::Tensor>& gradients, const at::Tensor& rates, double clip) {
  std::vector<cuda::AdamTensor> tensors;
  std::vector<at::Tensor> alive;  // keeps gradients until the work is queued
  for (size_t p = 0; p < parameters_.size(); ++p) {
    alive.push_back(gradients[p].defined() ? gradients[p].contiguous() : at::Tensor());
    tensors.push_back({parameters_[p].data_ptr<float>(), states_[p].m.data_ptr<float>(),
                       states_[p].v.data_ptr<float>(),
                       alive.back().defined() ? alive.back().data_ptr<float>() : nullptr,
                       parameters_[p].numel()});
  }
  cuda::adam(tensors.data(), static_cast<int64_t>(tensors.size()), rates.data_ptr<float>(),
             static_cast<float>(weight_decay_), static_cast<float>(clip),
             partial_.data_ptr<double>(), largest_.data_ptr<float>(), on_gpu::stream());
}

double Adam::take_largest_norm() {
  if (!largest_.defined()) return norm_;
  norm_ = largest_.item<double>();
  largest_.zero_();
  return norm_;
}

}  // namespace hardkuma
