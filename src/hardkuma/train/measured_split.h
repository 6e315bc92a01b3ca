#pragma once

#include <string>

#include "hardkuma/data/dataset.h"

namespace hardkuma {

/// The data to measure a model on.
struct MeasuredSplit {
  std::string name;  ///< "all": a whole file
  RawSplit records;
  std::string warning;  ///< if the model was trained on some of it, else ""
};

/// The named split. If `split` is empty: a whole file, or of a directory the test split, else the
/// dev split.
MeasuredSplit choose_split(const std::string& data, const std::string& split,
                           const std::string& model, const DataOptions& options);

}  // namespace hardkuma
