#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace hardkuma {

struct MeasuredStep;

/// A gradient per parameter, undefined where there is none; empty: no examples.
using Gradients = std::vector<at::Tensor>;

/// The processes of one training, each with a share of every batch. This class is for a single
/// process; training on several machines overrides all its functions.
class Peers {
 public:
  virtual ~Peers() = default;
  virtual int64_t count() const { return 1; }
  virtual int64_t rank() const { return 0; }

  /// Adds the measurements of a step, or a number, over all processes, in the order of ranks.
  virtual void add_up(MeasuredStep&) {}
  virtual void add_up(double&) {}

  /// Replaces the lists of this process's workers with those of all processes, in the order of
  /// ranks, in which the optimiser adds them up.
  virtual void collect(std::vector<Gradients>&) {}
};

}  // namespace hardkuma
