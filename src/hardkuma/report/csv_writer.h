#pragma once

#include <memory>

#include "hardkuma/report/writer.h"

namespace hardkuma {

/// A table with a row for each text and model: id, aspect, prediction (a class, or a value), score
/// (of the class), selected (the share), rationale (its runs of words, " … " between them), text,
/// and of pairs second.
std::unique_ptr<ExplanationWriter> make_csv_writer(const WriterOptions& options);

/// A field of a CSV row, in quotes where it needs them.
std::string csv_field(const std::string& text);

}  // namespace hardkuma
