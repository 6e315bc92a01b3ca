#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hardkuma/common/file.h"
#include "hardkuma/data/columns.h"
#include "hardkuma/data/example.h"

namespace hardkuma {

struct RawText {
  std::string text;
  std::vector<Token> tokens;  ///< filled by formats that are already tokenised
  std::vector<CharSpan> gold;
};

/// A record as it stands in the file.
struct RawExample : RawText {
  int64_t line = 0;
  std::string id;                ///< the record's own, or its number in the file
  std::string label;             ///< "" if none was asked for
  bool label_is_number = false;  ///< false for JSON strings, which always name a class
  std::vector<double> values;    ///< replace `label` if several values are predicted
  bool has_gold = false;
  bool is_pair = false;
  RawText second;                ///< of a pair
  bool misplaced_marks = false;  ///< gold was dropped: it marks another text
};

/// Records of one input, one after the other, in constant memory.
class ExampleReader {
 public:
  explicit ExampleReader(LineReader lines) : lines_(std::move(lines)) {}
  virtual ~ExampleReader() = default;
  virtual bool next(RawExample& example) = 0;

  bool ready() const { return lines_.ready(); }               ///< next() will not wait for input
  std::string fingerprint() { return lines_.fingerprint(); }  ///< of the input as stored

  /// The aspect that the labels judge, and the names of an example's values; "" and none if the
  /// format does not say.
  virtual std::string aspect() const { return ""; }
  virtual std::vector<std::string> value_names() const { return {}; }

 protected:
  LineReader lines_;
};

/// A file format: a row of the table of readers.
struct FileFormat {
  std::string name;
  std::vector<std::string> endings;           ///< of file names, perhaps before ".gz"
  bool has_columns;                           ///< with names: for pairs, and to choose the label
  bool labelled;                              ///< may records have labels?
  bool (*looks_like)(std::string_view line);  ///< tests the first line; null: no test
  std::unique_ptr<ExampleReader> (*open)(LineReader lines, const Columns& columns, bool with_label);
};
const std::vector<FileFormat>& file_formats();

/// Detects the format by the name's ending; if several formats share it, or none has it, by the
/// first line, which remains to be read.
const FileFormat& detect_format(LineReader& lines);
const FileFormat& format_from_name(const std::string& name);

/// "csv, tsv, jsonl, sst, beer, lines", and ".csv, .tsv, …" of those with labels.
std::string format_names();
std::string labelled_endings();

/// Opens the input once, and detects its format unless one is given. `with_label` false: no label
/// is looked for, and formats without labels are allowed.
std::unique_ptr<ExampleReader> open_examples(const std::string& path, const Columns& columns,
                                             bool with_label, const FileFormat* format = nullptr);

}  // namespace hardkuma
