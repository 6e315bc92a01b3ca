#pragma once

#include <string>
#include <vector>

#include "hardkuma/common/file.h"

namespace hardkuma {

/// Rows of delimited text after RFC 4180: quoted fields may hold the delimiter, line ends and
/// doubled quotes. Empty lines are skipped; a row over kLongestLine is an InputError.
///
///   LineReader lines("data.csv.gz");
///   CsvReader csv(lines, ',');
///   for (std::vector<std::string> row; csv.next(row);) …
class CsvReader {
 public:
  CsvReader(LineReader& lines, char delimiter) : lines_(lines), delimiter_(delimiter) {}

  bool next(std::vector<std::string>& row);
  int64_t line_number() const { return row_line_; }  ///< where the row last returned began

 private:
  LineReader& lines_;
  char delimiter_;
  int64_t row_line_ = 0;
};

}  // namespace hardkuma
