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

/// What predicts from examples, whatever is inside.
class Classifier {
 public:
  virtual ~Classifier() = default;

  /// Predictions in the order of the set, made by all workers. Several threads may call it at once,
  /// each with workers of its own.
  virtual std::vector<ExamplePrediction> predict(const std::vector<Example>& set,
                                                 Workers& workers) = 0;

  /// All that was learned, by name, on the CPU.
  virtual std::map<std::string, at::Tensor> weights() const = 0;

  /// What is selected at prediction. Ignored where nothing is.
  virtual void set_choice(const Choice&) {}

  /// Moves to a device, if that can be: a linear model stays where it is.
  virtual void to(at::Device) {}
};

}  // namespace hardkuma
