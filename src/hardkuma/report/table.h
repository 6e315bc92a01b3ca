#pragma once

#include <string>
#include <vector>

#include "hardkuma/eval/evaluation.h"

namespace hardkuma {

/// Rows of cells as aligned text: the first column to the left, the others to the right.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// "15.2%".
std::string percent(double share, int digits = 1);

/// Brief: task metric with its interval, share of the words shown and, where there is gold, token
/// precision, recall and F1. Full: also the mean share over texts and what gates expect to select.
enum class Detail { Brief, Full };

/// A header, and one row per entry.
std::vector<std::vector<std::string>> evaluation_rows(const std::vector<NamedEvaluation>& entries,
                                                      Detail detail = Detail::Full);

/// A row per class: texts, how many are predicted as it, precision, recall and F1.
std::vector<std::vector<std::string>> class_rows(const Evaluation& evaluation);

/// A row per class, and a column per predicted class.
std::vector<std::vector<std::string>> confusion_rows(const Evaluation& evaluation);

/// evaluation_rows() as text, with the errors of single values if there are several, and the
/// majority class of a classification.
std::string evaluation_table(const std::vector<NamedEvaluation>& entries,
                             Detail detail = Detail::Brief);

}  // namespace hardkuma
