#include "hardkuma/data/delimited.h"

#include <algorithm>
#include <optional>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/csv.h"
#include "hardkuma/data/snli.h"

namespace hardkuma {
namespace {

class DelimitedReader final : public ExampleReader {
 public:
  DelimitedReader(LineReader lines, char delimiter, Columns columns, bool with_label)
      : ExampleReader(std::move(lines)), csv_(lines_, delimiter), columns_(std::move(columns)) {
    const std::string& path = lines_.path();
    if (!csv_.next(header_)) throw InputError("{}: the file is empty", path);
    for (std::string& name : header_) name = std::string(trim(name));
    const std::string where = fmt::format("{}:{}", path, csv_.line_number());
    choose_texts(columns_, header_, where);
    text_ = index(columns_.text);
    if (columns_.pair) second_ = index(columns_.second);
    if (with_label) {
      choose_label(columns_, header_, where);
      label_ = index(columns_.label);
    }
    if (const std::string* id = usual_name({"id", "pairid"}, header_)) id_ = index(*id);
  }

  bool next(RawExample& example) override {
    std::vector<std::string> row;
    if (!csv_.next(row)) return false;
    if (row.size() != header_.size()) {
      throw InputError(
          "{}:{}: {} fields where the header has {}; quote fields that hold the delimiter",
          lines_.path(), csv_.line_number(), row.size(), header_.size());
    }
    example = {};
    example.line = csv_.line_number();
    example.id = id_ ? row[*id_] : std::to_string(count_);
    ++count_;
    example.text = row[text_];
    if (columns_.pair) {
      example.is_pair = true;
      example.second.text = row[second_];
      read_pair_columns(
          columns_.text, columns_.second,
          [&](const std::string& name) {
            const auto found = std::find(header_.begin(), header_.end(), name);
            return found == header_.end() ? nullptr
                                          : &row[static_cast<size_t>(found - header_.begin())];
          },
          example);
    }
    if (label_) {
      double ignored = 0.0;
      example.label = std::string(trim(row[*label_]));
      example.label_is_number = parse_number(example.label, ignored);
    }
    return true;
  }

 private:
  size_t index(const std::string& name) const {
    return static_cast<size_t>(std::find(header_.begin(), header_.end(), name) - header_.begin());
  }

  CsvReader csv_;
  Columns columns_;
  std::vector<std::string> header_;
  size_t text_ = 0;
  size_t second_ = 0;
  std::optional<size_t> label_;
  std::optional<size_t> id_;
  int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<ExampleReader> open_csv(LineReader lines, const Columns& columns, bool with_label) {
  return std::make_unique<DelimitedReader>(std::move(lines), ',', columns, with_label);
}

std::unique_ptr<ExampleReader> open_tsv(LineReader lines, const Columns& columns, bool with_label) {
  return std::make_unique<DelimitedReader>(std::move(lines), '\t', columns, with_label);
}

}  // namespace hardkuma
