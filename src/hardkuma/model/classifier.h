#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "hardkuma/common/workers.h"
#include "hardkuma/data/example.h"
#include "hardkuma/model/choice.h"
#include "hardkuma/model/prediction.h"

namespace hardkuma {

/// The interface of all models for prediction.
class Classifier {
 public:
  virtual ~Classifier() = default;

  /// Predictions in the order of the set, computed by all workers. Several threads may call it at
  /// once if each passes its own workers.
  virtual std::vector<ExamplePrediction> predict(const std::vector<Example>& set,
                                                 Workers& workers) = 0;

  /// The learned weights by name, on the CPU.
  virtual std::map<std::string, at::Tensor> weights() const = 0;

  /// Sets the selection at prediction. Models that select nothing ignore it.
  virtual void set_choice(const Choice&) {}

  /// Moves the weights to a device. A linear model ignores it.
  virtual void to(at::Device) {}
};

}  // namespace hardkuma
