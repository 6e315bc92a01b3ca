#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "hardkuma/common/workers.h"

namespace hardkuma {

/// Adam with L2 decay (Kingma and Ba 2015), the numbers of torch::optim::Adam, but summing the
/// workers' gradients, clipping and stepping in two passes over memory split over the workers.
class Adam {
 public:
  Adam(std::vector<at::Tensor> parameters, double weight_decay);

  /// One list of gradients per worker, one entry per parameter, undefined where there is none;
  /// an empty list is a worker without examples. They are added in order, scaled down if their
  /// norm is above `clip`, and applied. A parameter without gradients stays as it is. Returns the
  /// norm; if it is not finite nothing was changed. On a GPU there is one list, and to spare the
  /// wait the norm that is returned is that of the last call of take_largest_norm().
  double step(const std::vector<std::vector<at::Tensor>>& gradients, double learning_rate,
              double clip, Workers& workers);

  /// Multiplies the learning rate of each parameter from now on.
  void set_scales(std::vector<double> scales) { scales_ = std::move(scales); }

  /// On a GPU: the largest norm since the last call; waits for it, and begins anew.
  double take_largest_norm();

  /// The two halves of a step there. Counts a step of the parameters with a gradient and says at
  /// what rates, two values each; queues it, with these rates in the GPU's memory.
  std::vector<float> count_step(const std::vector<bool>& has_gradient, double learning_rate);
  void queue(const std::vector<at::Tensor>& gradients, const at::Tensor& rates, double clip);
  /// What take_largest_norm() will say, on the GPU: [1].
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
  std::vector<double> squares_;  // a piece each, so that the norm does not depend on the split
  // On a GPU.
  at::Tensor partial_;
  at::Tensor largest_;  // norm since it was asked for
  double norm_ = 0.0;
};

}  // namespace hardkuma
