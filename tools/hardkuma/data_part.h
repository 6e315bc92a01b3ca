#pragma once

#include <string>
#include <utility>

#include "hardkuma/data/dataset.h"

namespace hardkuma {

/// What to measure a model on, and its name. A file is measured whole unless a part of its split is
/// asked for (with a warning where the model was trained on it); of a directory the test part, or
/// dev where there is none.
std::pair<std::string, RawPart> choose_part(const std::string& data, const std::string& part,
                                            const std::string& model, const DataOptions& options);

}  // namespace hardkuma
