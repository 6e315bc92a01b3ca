#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace hardkuma {

struct MeasuredStep;

/// A gradient per parameter, undefined where there is none; empty: no examples.
using Gradients = std::vector<at::Tensor>;

/// The processes of one training, each with a share of every batch. This one is alone; training on
/// several machines overrides them all.
class Peers {
 public:
  virtual ~Peers() = default;
  virtual int64_t count() const { return 1; }
  virtual int64_t rank() const { return 0; }

  /// Adds what the others measured, in the order of ranks; of a step, or one number.
  virtual void add_up(MeasuredStep&) {}
  virtual void add_up(double&) {}

  /// Makes the lists of this process's workers those of all processes, in the order of ranks; the
  /// optimiser adds them up in that order.
  virtual void collect(std::vector<Gradients>&) {}
};

}  // namespace hardkuma
