#pragma once

#include <string>
#include <vector>

#include "hardkuma/data/dataset.h"

namespace hardkuma {

/// What is predicted; found from the training labels and stored with the model.
struct TaskInfo {
  bool regression = false;
  std::vector<std::string> labels;  ///< class names in order; or names of several values
  double low = 0.0;  ///< regression: the values that 0 and 1 of the sigmoid stand for
  double high = 1.0;

  /// Classes, or values to predict.
  int64_t outputs() const {
    return regression && labels.empty() ? 1 : static_cast<int64_t>(labels.size());
  }
};

enum class TaskChoice { Auto, Classification, Regression };

/// Finds the task from the training labels. With Auto, numbers that are not all whole, or take more
/// than 20 values, mean regression; anything else means classes. A single class, and labels that do
/// not parse, are InputErrors. For a single file that was split, pass all splits: train may lack a
/// rare class.
TaskInfo find_task(const std::vector<const RawSplit*>& splits, TaskChoice task);

/// A record's label as a target: the class number, or the value scaled to [0, 1]. For one value
/// only.
double target_of(const RawExample& example, const TaskInfo& task, const std::string& path);

}  // namespace hardkuma
