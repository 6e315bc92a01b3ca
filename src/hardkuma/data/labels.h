#pragma once

#include <string>
#include <vector>

#include "hardkuma/data/dataset.h"

namespace hardkuma {

/// What is predicted; found from the training labels and stored with the model.
struct TaskInfo {
  bool regression = false;
  std::vector<std::string> labels;  ///< class names in order; the values', if there are several
  double low = 0.0;  ///< regression: the values that 0 and 1 of the sigmoid stand for
  double high = 1.0;

  /// Classes, or values to predict.
  int64_t outputs() const {
    return regression && labels.empty() ? 1 : static_cast<int64_t>(labels.size());
  }
};

enum class TaskChoice { Auto, Classification, Regression };

/// Decides from the training labels: numbers that are not all whole, or take more than 20 values,
/// are to be regressed on; anything else names classes. With Auto. One class only, or labels that
/// do not parse, are InputErrors. Of a single file that was split, give all splits: a rare class
/// may have fallen outside train.
TaskInfo find_task(const std::vector<const RawSplit*>& splits, TaskChoice task);

/// A record's label as a target: the class number, or the value scaled to [0, 1]. Not for several.
double target_of(const RawExample& example, const TaskInfo& task, const std::string& path);

}  // namespace hardkuma
