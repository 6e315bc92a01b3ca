#include "hardkuma/data/reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/beer.h"
#include "hardkuma/data/csv.h"
#include "hardkuma/data/snli.h"
#include "hardkuma/data/sst.h"

namespace hardkuma {
namespace {

const std::vector<std::string> kTextNames = {"text",    "sentence", "review",  "content",
                                             "comment", "body",     "document"};
const std::vector<std::string> kFirstNames = {"premise", "sentence1",  "text1", "question1",
                                              "text_a",  "sentence_a", "first"};
const std::vector<std::string> kSecondNames = {"hypothesis", "sentence2",  "text2", "question2",
                                               "text_b",     "sentence_b", "second"};
const std::vector<std::string> kLabelNames = {"label",  "gold_label", "class", "category",
                                              "target", "sentiment",  "score", "rating",
                                              "stars",  "y"};
const std::vector<std::string> kGoldNames = {"rationale", "gold", "spans", "evidence"};

// The first of the usual names that is there, whatever its case; or null.
const std::string* usual_name(const std::vector<std::string>& usual,
                              const std::vector<std::string>& present) {
  for (const std::string& name : usual) {
    for (const std::string& column : present) {
      if (lower_case(column) == name) return &column;
    }
  }
  return nullptr;
}

// The column asked for, or the first usual name present; empty if it may be missing.
std::string choose(const std::string& asked, const std::vector<std::string>& usual,
                   const std::vector<std::string>& present, const std::string& option,
                   const std::string& where) {
  const auto has = [&](const std::string& name) {
    return std::find(present.begin(), present.end(), name) != present.end();
  };
  if (!asked.empty()) {
    if (has(asked)) return asked;
    throw InputError("{}: no column \"{}\"{}; there are: {}", where, asked,
                     did_you_mean(asked, present), fmt::join(present, ", "));
  }
  if (const std::string* found = usual_name(usual, present)) return *found;
  // Two texts where one was looked for: the way out is another kind of model.
  const bool pair = usual == kTextNames && usual_name(kFirstNames, present) != nullptr &&
                    usual_name(kSecondNames, present) != nullptr;
  const std::string missing = usual == kFirstNames    ? "column for the first text of a pair"
                              : usual == kSecondNames ? "column for the second text of a pair"
                                                      : option + " column";
  throw InputError("{}: no {}; name it with --{}{} (there are: {})", where, missing, option,
                   pair ? "; models of pairs are trained with --preset snli" : "",
                   fmt::join(present, ", "));
}

// Fills in the names of the text columns that were not given.
void choose_texts(Columns& columns, const std::vector<std::string>& present,
                  const std::string& where) {
  if (!columns.pair) {
    columns.text = choose(columns.text, kTextNames, present, "text", where);
    return;
  }
  columns.text = choose(columns.text, kFirstNames, present, "text", where);
  columns.second = choose(columns.second, kSecondNames, present, "second", where);
  if (columns.text == columns.second) {
    throw InputError(
        "{}: column \"{}\" is to be both texts of a pair; name two with --text and "
        "--second",
        where, columns.text);
  }
}

class DelimitedReader final : public ExampleReader {
 public:
  DelimitedReader(const std::string& path, char delimiter, Columns columns, bool with_label)
      : csv_(path, delimiter), columns_(std::move(columns)) {
    if (!csv_.next(header_)) throw InputError("{}: the file is empty", path);
    for (std::string& name : header_) name = std::string(trim(name));
    const std::string where = fmt::format("{}:{}", path, csv_.line_number());
    choose_texts(columns_, header_, where);
    text_ = index(columns_.text);
    if (columns_.pair) second_ = index(columns_.second);
    if (with_label) label_ = index(choose(columns_.label, kLabelNames, header_, "label", where));
    if (const std::string* id = usual_name({"id", "pairid"}, header_)) id_ = index(*id);
  }

  bool next(RawExample& example) override {
    std::vector<std::string> row;
    if (!csv_.next(row)) return false;
    if (row.size() != header_.size()) {
      throw InputError(
          "{}:{}: {} fields where the header has {}; quote fields that hold the delimiter",
          csv_.path(), csv_.line_number(), row.size(), header_.size());
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

  bool ready() const override { return csv_.ready(); }

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

class JsonlReader final : public ExampleReader {
 public:
  JsonlReader(const std::string& path, Columns columns, bool with_label)
      : lines_(path), columns_(std::move(columns)), with_label_(with_label) {}

  bool next(RawExample& example) override {
    std::string line;
    do {
      if (!lines_.next(line)) return false;
    } while (trim(line).empty());
    const std::string where = fmt::format("{}:{}", lines_.path(), lines_.line_number());
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_discarded()) throw InputError("{}: not valid JSON", where);
    if (!record.is_object())
      throw InputError("{}: not a JSON object; write one object a line", where);
    std::vector<std::string> names;
    for (const auto& [name, value] : record.items()) names.push_back(name);
    if (!chosen_) choose_columns(names, where);

    example = {};
    example.line = lines_.line_number();
    example.id = std::to_string(count_++);
    for (const char* name : {"pairID", "id"}) {
      const auto id = record.find(name);
      if (id == record.end()) continue;
      example.id = id->is_string() ? id->get<std::string>() : id->dump();
    }
    example.text = field(record, columns_.text, names, where).get<std::string>();
    check_text(example.text, lines_.path(), lines_.line_number());
    if (columns_.pair) read_second(record, names, where, example);
    if (with_label_) read_label(record, names, where, example);
    if (!columns_.pair && !columns_.gold.empty() && record.contains(columns_.gold)) {
      read_gold(record[columns_.gold], where, example);
    }
    return true;
  }

  bool ready() const override { return lines_.ready(); }

 private:
  void choose_columns(const std::vector<std::string>& names, const std::string& where) {
    choose_texts(columns_, names, where);
    if (with_label_) {
      columns_.label = choose(columns_.label, kLabelNames, names, "label", where);
      std::vector<std::string> gold_names = {columns_.label + "_spans"};
      gold_names.insert(gold_names.end(), kGoldNames.begin(), kGoldNames.end());
      if (!columns_.gold.empty()) choose(columns_.gold, {}, names, "gold", where);
      for (const std::string& name : gold_names) {
        const bool there = std::find(names.begin(), names.end(), name) != names.end();
        if (columns_.gold.empty() && there) columns_.gold = name;
      }
    }
    chosen_ = true;
  }

  static const nlohmann::json& field(const nlohmann::json& record, const std::string& name,
                                     const std::vector<std::string>& names,
                                     const std::string& where) {
    const auto found = record.find(name);
    if (found == record.end()) {
      throw InputError("{}: no field \"{}\" (there are: {})", where, name, fmt::join(names, ", "));
    }
    if (!found->is_string()) throw InputError("{}: field \"{}\" is not a string", where, name);
    return *found;
  }

  void read_second(const nlohmann::json& record, const std::vector<std::string>& names,
                   const std::string& where, RawExample& example) const {
    example.is_pair = true;
    example.second.text = field(record, columns_.second, names, where).get<std::string>();
    check_text(example.second.text, lines_.path(), lines_.line_number());
    read_pair_columns(
        columns_.text, columns_.second,
        [&](const std::string& name) {
          const auto found = record.find(name);
          return found != record.end() && found->is_string() ? found->get_ptr<const std::string*>()
                                                             : nullptr;
        },
        example);
  }

  void read_label(const nlohmann::json& record, const std::vector<std::string>& names,
                  const std::string& where, RawExample& example) const {
    const auto found = record.find(columns_.label);
    if (found == record.end()) {
      throw InputError("{}: no field \"{}\" (there are: {})", where, columns_.label,
                       fmt::join(names, ", "));
    }
    if (found->is_object() || found->is_array() || found->is_null()) {
      throw InputError("{}: label \"{}\" is {}, not a string or a number", where, columns_.label,
                       found->type_name());
    }
    example.label_is_number = found->is_number();
    example.label = found->is_string() ? found->get<std::string>() : found->dump();
  }

  static void read_gold(const nlohmann::json& spans, const std::string& where,
                        RawExample& example) {
    if (spans.is_null()) return;
    const auto bad = [&] {
      return InputError(
          "{}: gold spans must be [[start, end], …] or [{{\"start\":…,\"end\":…}}, …]", where);
    };
    if (!spans.is_array()) throw bad();
    example.has_gold = true;
    const int64_t length = count_code_points(example.text);
    for (const auto& span : spans) {
      CharSpan out;
      const bool pair = span.is_array() && span.size() == 2 && span[0].is_number_integer() &&
                        span[1].is_number_integer();
      const bool object = span.is_object() && span.contains("start") && span.contains("end") &&
                          span["start"].is_number_integer() && span["end"].is_number_integer();
      if (pair)
        out = {span[0].get<int64_t>(), span[1].get<int64_t>()};
      else if (object)
        out = {span["start"].get<int64_t>(), span["end"].get<int64_t>()};
      else
        throw bad();
      if (out.start < 0 || out.end < out.start || out.end > length) {
        throw InputError("{}: gold span [{}, {}) is outside the text of {} characters", where,
                         out.start, out.end, length);
      }
      example.gold.push_back(out);
    }
  }

  LineReader lines_;
  Columns columns_;
  bool with_label_;
  bool chosen_ = false;
  int64_t count_ = 0;
};

// One record a line, empty lines skipped; `Parse` makes an example of (line, where).
template <typename Parse>
class RecordReader final : public ExampleReader {
 public:
  RecordReader(const std::string& path, Parse parse) : lines_(path), parse_(std::move(parse)) {}

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

  bool ready() const override { return lines_.ready(); }

 private:
  LineReader lines_;
  Parse parse_;
  int64_t count_ = 0;
};

template <typename Parse>
std::unique_ptr<ExampleReader> record_reader(const std::string& path, Parse parse) {
  return std::make_unique<RecordReader<Parse>>(path, std::move(parse));
}

// One text a line, or both of a pair with a tab between them.
class PlainReader final : public ExampleReader {
 public:
  PlainReader(const std::string& path, bool pair) : lines_(path), pair_(pair) {}

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

  bool ready() const override { return lines_.ready(); }

 private:
  LineReader lines_;
  bool pair_;
  int64_t count_ = 0;
};

}  // namespace

FileFormat format_from_name(const std::string& name) {
  if (name == "csv") return FileFormat::Csv;
  if (name == "tsv") return FileFormat::Tsv;
  if (name == "jsonl") return FileFormat::Jsonl;
  if (name == "sst") return FileFormat::Sst;
  if (name == "beer") return FileFormat::Beer;
  if (name == "lines") return FileFormat::Lines;
  throw UsageError("unknown input format \"{}\"; there are csv, tsv, jsonl, sst, beer and lines",
                   name);
}

FileFormat detect_format(const std::string& path) {
  std::string name = path;
  if (ends_with_ignore_case(name, ".gz")) name.resize(name.size() - 3);
  if (ends_with_ignore_case(name, ".csv")) return FileFormat::Csv;
  if (ends_with_ignore_case(name, ".tsv")) return FileFormat::Tsv;
  for (const char* ending : {".jsonl", ".ndjson"}) {
    if (ends_with_ignore_case(name, ending)) return FileFormat::Jsonl;
  }
  LineReader lines(path);
  std::string line;
  while (lines.next(line) && trim(line).empty()) {
  }
  if (ends_with_ignore_case(name, ".json")) {
    return looks_like_beer(line) ? FileFormat::Beer : FileFormat::Jsonl;
  }
  if (looks_like_sst(line)) return FileFormat::Sst;
  return looks_like_beer(line) ? FileFormat::Beer : FileFormat::Lines;
}

std::unique_ptr<ExampleReader> open_examples(const std::string& path, FileFormat format,
                                             const Columns& asked, bool with_label) {
  Columns columns = asked;
  if (columns.pair && !columns.gold.empty()) {
    throw InputError(
        "{}: gold spans of pairs are read from columns like Sentence1_marked_1, not by "
        "--gold",
        path);
  }
  if (columns.label.empty()) columns.label = columns.aspect;
  const bool table =
      format == FileFormat::Csv || format == FileFormat::Tsv || format == FileFormat::Jsonl;
  if (columns.pair && !table && (with_label || format != FileFormat::Lines)) {
    throw InputError("{}: pairs of texts are read from CSV, TSV or JSONL with two text columns",
                     path);
  }
  const int aspect =
      format == FileFormat::Beer && with_label ? beer_aspect(columns.aspect, path) : kNoAspect;
  switch (format) {
    case FileFormat::Csv:
      return std::make_unique<DelimitedReader>(path, ',', columns, with_label);
    case FileFormat::Tsv:
      return std::make_unique<DelimitedReader>(path, '\t', columns, with_label);
    case FileFormat::Jsonl:
      return std::make_unique<JsonlReader>(path, columns, with_label);
    case FileFormat::Sst:
      return record_reader(path, parse_sst_tree);
    case FileFormat::Beer:
      return record_reader(path, [aspect](const std::string& line, const std::string& where) {
        return parse_beer(line, aspect, where);
      });
    case FileFormat::Lines:
      break;
  }
  if (with_label) {
    throw InputError(
        "{}: plain lines carry no labels; give CSV, TSV, JSONL, SST trees or beer "
        "reviews (.csv, .tsv, .jsonl, .txt, each also .gz)",
        path);
  }
  return std::make_unique<PlainReader>(path, columns.pair);
}

}  // namespace hardkuma
