#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "hardkuma/common/text.h"
#include "hardkuma/data/reader.h"

namespace hardkuma {

/// One record a line, empty lines skipped; `Parse` makes an example of (line, where).
template <typename Parse>
class RecordReader : public ExampleReader {
 public:
  RecordReader(LineReader lines, Parse parse)
      : ExampleReader(std::move(lines)), parse_(std::move(parse)) {}

  bool next(RawExample& example) override {
    std::string line;
    do {
      if (!lines_.next(line)) return false;
    } while (trim(line).empty());
    example = parse_(line, fmt::format("{}:{}", lines_.path(), lines_.line_number()));
    check_text(example.text, lines_.path(), lines_.line_number());
    example.line = lines_.line_number();
    example.id = std::to_string(count_++);
    return true;
  }

 private:
  Parse parse_;
  int64_t count_ = 0;
};

}  // namespace hardkuma
