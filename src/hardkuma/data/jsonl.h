#pragma once

#include <memory>
#include <string>

#include "hardkuma/data/reader.h"

namespace hardkuma {

/// Records of one JSON object a line.
std::unique_ptr<ExampleReader> open_jsonl(LineReader lines, const Columns& columns,
                                          bool with_label);

}  // namespace hardkuma
