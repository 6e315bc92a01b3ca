#include "hardkuma/data/csv.h"

#include "hardkuma/common/error.h"

namespace hardkuma {

bool CsvReader::next(std::vector<std::string>& row) {
  std::string line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.empty());
  row_line_ = lines_.line_number();
  row.clear();
  row.emplace_back();
  bool quoted = false;
  size_t row_size = line.size();
  size_t at = 0;
  while (true) {
    if (at == line.size()) {
      if (!quoted) return true;
      // A quoted field continues after the line end.
      row.back() += lines_.ended_in_crlf() ? "\r\n" : "\n";
      if (!lines_.next(line)) {
        throw InputError("{}:{}: a quoted field is never closed", lines_.path(), row_line_);
      }
      row_size += line.size();
      if (row_size > kLongestLine) {
        throw InputError("{}:{}: a quoted field is not closed within {} MB", lines_.path(),
                         row_line_, kLongestLine >> 20);
      }
      at = 0;
      continue;
    }
    const char c = line[at++];
    if (quoted) {
      if (c != '"') {
        row.back() += c;
      } else if (at < line.size() && line[at] == '"') {
        row.back() += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (c == delimiter_) {
      row.emplace_back();
    } else if (c == '"' && row.back().empty()) {
      quoted = true;
    } else {
      row.back() += c;
    }
  }
}

}  // namespace hardkuma
