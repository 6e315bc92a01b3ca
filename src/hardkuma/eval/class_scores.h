#pragma once

#include <string>
#include <vector>

#include "hardkuma/data/example.h"
#include "hardkuma/data/labels.h"
#include "hardkuma/evaluation.h"
#include "hardkuma/model/prediction.h"

namespace hardkuma {

/// Fills `by_class`, `confusion` and `auc` of a classifier's evaluation.
void score_classes(const std::vector<Example>& set,
                   const std::vector<ExamplePrediction>& predictions, const TaskInfo& task,
                   Evaluation& evaluation);

/// Area under the ROC curve: the probability that a positive example's score is above a negative
/// one's; ties count half. -1 if one kind is missing.
double roc_auc(const std::vector<float>& scores, const std::vector<bool>& positive);

/// The name of the most frequent class.
std::string majority_class(const Evaluation& evaluation);

/// What a user should know of a classifier's classes: it is no better than the most frequent class,
/// or it never predicts some classes. Empty if neither.
std::vector<std::string> class_warnings(const Evaluation& evaluation);

}  // namespace hardkuma
