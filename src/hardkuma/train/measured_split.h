#pragma once

#include <string>

#include "hardkuma/data/dataset.h"

namespace hardkuma {

/// What to measure a model on.
struct MeasuredSplit {
  std::string name;  ///< "all" of a file
  RawSplit records;
  std::string warning;  ///< where the model was trained on some of it, else ""
};

/// A file is measured whole unless one of its splits is asked for; of a directory the test split,
/// or dev where there is none.
MeasuredSplit choose_split(const std::string& data, const std::string& split,
                           const std::string& model, const DataOptions& options);

}  // namespace hardkuma
