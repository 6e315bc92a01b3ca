#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "hardkuma/common/workers.h"

namespace hardkuma {

/// Adam with L2 decay (Kingma and Ba 2015), with the results of torch::optim::Adam. It sums the
/// workers' gradients, clips and steps in two passes over memory, split over the workers.
class Adam {
 public:
  Adam(std::vector<at::Tensor> parameters, double weight_decay);

  /// One list of gradients per worker, one entry per parameter, undefined where there is none;
  /// an empty list is a worker without examples. They are added in order, scaled down if their
  /// norm is above `clip`, and applied. A parameter without gradients does not change. Returns the
  /// norm; if it is not finite, nothing was changed. On a GPU there is one list, and the returned
  /// norm is that of the last take_largest_norm(), so that step() does not wait.
  double step(const std::vector<std::vector<at::Tensor>>& gradients, double learning_rate,
              double clip, Workers& workers);

  /// Sets a factor for each parameter's learning rate.
  void set_scales(std::vector<double> scales) { scales_ = std::move(scales); }

  /// On a GPU: waits for the largest norm since the last call, and resets it.
  double take_largest_norm();

  /// The halves of a step on a GPU. count_step() counts a step of parameters with a gradient and
  /// returns two rates for each parameter; queue() launches it, with the rates in GPU memory.
  std::vector<float> count_step(const std::vector<bool>& has_gradient, double learning_rate);
  void queue(const std::vector<at::Tensor>& gradients, const at::Tensor& rates, double clip);
  /// The value of take_largest_norm() in GPU memory: [1].
  const at::Tensor& largest() const { return largest_; }

  /// What a checkpoint needs of one parameter.
  struct State {
    int64_t steps = 0;
    at::Tensor m;  ///< running mean of the gradient
    at::Tensor v;  ///< and of its square
  };
  std::vector<State>& states() { return states_; }
  const std::vector<State>& states() const { return states_; }

 private:
  struct Piece {  // of a parameter, small enough for a worker's cache
    size_t parameter;
    int64_t from;
    int64_t count;
  };

  std::vector<at::Tensor> parameters_;
  double weight_decay_;
  std::vector<double> scales_;
  std::vector<State> states_;
  std::vector<at::Tensor> sums_;
  std::vector<Piece> pieces_;
  std::vector<double> squares_;  // one per piece, so that the norm does not depend on the split
  // On a GPU.
  at::Tensor partial_;
  at::Tensor largest_;  // norm since take_largest_norm()
  double norm_ = 0.0;
};

}  // namespace hardkuma
