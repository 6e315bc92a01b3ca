#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hardkuma/data/example.h"

namespace hardkuma {

/// Which fields of a record to read. Empty means: guess from the usual names.
struct Columns {
  bool pair = false;  ///< records hold two texts
  std::string text;
  std::string second;  ///< of a pair
  std::string label;
  std::string gold;
  std::string aspect;  ///< which score of a beer review; of a table, the column with that name
};

struct RawText {
  std::string text;
  std::vector<Token> tokens;  ///< filled by formats that come cut into words
  std::vector<CharSpan> gold;
};

/// A record as it stands in the file.
struct RawExample : RawText {
  int64_t line = 0;
  std::string id;                ///< the record's own, or its number in the file
  std::string label;             ///< "" where none was asked for
  bool label_is_number = false;  ///< false for JSON strings, which always name a class
  std::vector<double> values;    ///< instead of it, where several values are to be predicted
  bool has_gold = false;
  bool is_pair = false;
  RawText second;                ///< of a pair
  bool misplaced_marks = false;  ///< gold was given, but for another text
};

enum class FileFormat { Csv, Tsv, Jsonl, Sst, Beer, Lines };

/// From the name (`.csv`, `.tsv`, `.jsonl`, `.txt`, each also with `.gz`) and the first line: a
/// `.txt` file may hold labelled trees (SST) or beer reviews, else it is one text a line; a `.json`
/// file may hold annotated beer reviews.
FileFormat detect_format(const std::string& path);
FileFormat format_from_name(const std::string& name);

/// Records of one file, one after the other, in constant memory.
class ExampleReader {
 public:
  virtual ~ExampleReader() = default;
  virtual bool next(RawExample& example) = 0;
  virtual bool ready() const = 0;  ///< next() will not wait for input
};

/// `with_label` false: no label is looked for, and Lines is allowed.
std::unique_ptr<ExampleReader> open_examples(const std::string& path, FileFormat format,
                                             const Columns& columns, bool with_label);

}  // namespace hardkuma
