#pragma once

#include <string>

#include "hardkuma/data/dataset.h"

namespace hardkuma {

/// What to measure a model on.
struct MeasuredPart {
  std::string name;  ///< "all" of a file
  RawPart records;
  std::string warning;  ///< where the model was trained on some of it, else ""
};

/// A file is measured whole unless a part of its split is asked for; of a directory the test part,
/// or dev where there is none.
MeasuredPart choose_part(const std::string& data, const std::string& part, const std::string& model,
                         const DataOptions& options);

}  // namespace hardkuma
