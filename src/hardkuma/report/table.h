#pragma once

#include <string>
#include <vector>

#include "hardkuma/eval/evaluation.h"

namespace hardkuma {

/// Rows of cells as aligned text: the first column to the left, the others to the right.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// "15.2%".
std::string percent(double share, int digits = 1);

/// Task metric with its interval, the shares that were selected and that gates expect, and, where
/// there is gold, token precision, recall and F1: a head, and one row per entry.
std::vector<std::vector<std::string>> evaluation_rows(const std::vector<NamedEvaluation>& entries);

/// The same as text, with the errors of single values where there are several.
std::string evaluation_table(const std::vector<NamedEvaluation>& entries);

}  // namespace hardkuma
