#pragma once

#include <memory>
#include <string>

#include "hardkuma/data/reader.h"

namespace hardkuma {

/// Records of a table with a header: CSV, or TSV by its delimiter.
std::unique_ptr<ExampleReader> open_csv(LineReader lines, const Columns& columns, bool with_label);
std::unique_ptr<ExampleReader> open_tsv(LineReader lines, const Columns& columns, bool with_label);

}  // namespace hardkuma
