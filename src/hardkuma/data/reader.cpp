#include "hardkuma/data/reader.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/beer.h"
#include "hardkuma/data/delimited.h"
#include "hardkuma/data/jsonl.h"
#include "hardkuma/data/sst.h"

namespace hardkuma {
namespace {

constexpr const char* kPlainEnding = ".txt";  // unknown endings are treated as this one

// One text per line, or both texts of a pair with a tab between them.
class PlainReader final : public ExampleReader {
 public:
  PlainReader(LineReader lines, bool pair) : ExampleReader(std::move(lines)), pair_(pair) {}

  bool next(RawExample& example) override {
    example = {};
    if (!lines_.next(example.text)) return false;
    example.line = lines_.line_number();
    example.id = std::to_string(count_++);
    if (!pair_) return true;
    const size_t tab = example.text.find('\t');
    if (tab == std::string::npos || example.text.find('\t', tab + 1) != std::string::npos) {
      throw InputError("{}:{}: not a pair; write two texts with one tab between them",
                       lines_.path(), example.line);
    }
    example.is_pair = true;
    example.second.text = example.text.substr(tab + 1);
    example.text.resize(tab);
    return true;
  }

 private:
  bool pair_;
  int64_t count_ = 0;
};

std::unique_ptr<ExampleReader> open_lines(LineReader lines, const Columns& columns, bool) {
  return std::make_unique<PlainReader>(std::move(lines), columns.pair);
}

std::vector<const FileFormat*> with_ending(const std::string& name) {
  std::vector<const FileFormat*> out;
  for (const FileFormat& format : file_formats()) {
    const auto ends = [&](const std::string& ending) {
      return ends_with_ignore_case(name, ending);
    };
    if (std::any_of(format.endings.begin(), format.endings.end(), ends)) out.push_back(&format);
  }
  return out;
}

}  // namespace

const std::vector<FileFormat>& file_formats() {
  static const std::vector<FileFormat> table = {
      {"csv", {".csv"}, true, true, nullptr, open_csv},
      {"tsv", {".tsv"}, true, true, nullptr, open_tsv},
      {"jsonl", {".jsonl", ".ndjson", ".json"}, true, true, nullptr, open_jsonl},
      {"sst", {".txt"}, false, true, looks_like_sst, open_sst},
      {"beer", {".txt", ".json"}, false, true, looks_like_beer, open_beer},
      {"lines", {".txt"}, false, false, nullptr, open_lines},
  };
  return table;
}

const FileFormat& format_from_name(const std::string& name) {
  for (const FileFormat& format : file_formats()) {
    if (format.name == name) return format;
  }
  throw UsageError("unknown input format \"{}\"; there are: {}", name, format_names());
}

const FileFormat& detect_format(LineReader& lines) {
  std::string name = lines.path();
  if (ends_with_ignore_case(name, ".gz")) name.resize(name.size() - 3);
  std::vector<const FileFormat*> candidates = with_ending(name);
  if (candidates.empty()) candidates = with_ending(kPlainEnding);
  if (candidates.size() == 1) return *candidates[0];
  const std::string line = lines.first_line();
  const FileFormat* plain = nullptr;
  for (const FileFormat* format : candidates) {
    if (format->looks_like == nullptr) {
      plain = format;
    } else if (format->looks_like(line)) {
      return *format;
    }
  }
  return *plain;
}

std::string format_names() {
  std::vector<std::string> names;
  for (const FileFormat& format : file_formats()) names.push_back(format.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string labelled_endings() {
  std::vector<std::string> endings;
  for (const FileFormat& format : file_formats()) {
    for (const std::string& ending : format.endings) {
      const bool known = std::find(endings.begin(), endings.end(), ending) != endings.end();
      if (format.labelled && !known) endings.push_back(ending);
    }
  }
  return fmt::format("{}", fmt::join(endings, ", "));
}

std::unique_ptr<ExampleReader> open_examples(const std::string& path, const Columns& asked,
                                             bool with_label, const FileFormat* asked_format) {
  LineReader lines(path);
  const FileFormat& format = asked_format != nullptr ? *asked_format : detect_format(lines);
  Columns columns = asked;
  if (columns.pair && !columns.gold.empty()) {
    throw InputError(
        "{}: gold spans of pairs are read from columns like Sentence1_marked_1, not by "
        "--gold",
        path);
  }
  if (columns.label.empty()) columns.label = columns.aspect;
  if (columns.pair && !format.has_columns && (with_label || format.labelled)) {
    throw InputError("{}: pairs of texts are read from CSV, TSV or JSONL with two text columns",
                     path);
  }
  if (with_label && !format.labelled) {
    throw InputError("{}: plain lines carry no labels; give a file with labels ({}, each also .gz)",
                     path, labelled_endings());
  }
  return format.open(std::move(lines), columns, with_label);
}

}  // namespace hardkuma
