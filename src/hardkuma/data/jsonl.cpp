#include "hardkuma/data/jsonl.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"
#include "hardkuma/common/json.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/snli.h"

namespace hardkuma {
namespace {

class JsonlReader final : public ExampleReader {
 public:
  JsonlReader(LineReader lines, Columns columns, bool with_label)
      : ExampleReader(std::move(lines)), columns_(std::move(columns)), with_label_(with_label) {}

  bool next(RawExample& example) override {
    std::string line;
    do {
      if (!lines_.next(line)) return false;
    } while (trim(line).empty());
    const std::string where = fmt::format("{}:{}", lines_.path(), lines_.line_number());
    const auto record = parse_json<nlohmann::json>(line, where);
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

 private:
  void choose_columns(const std::vector<std::string>& names, const std::string& where) {
    choose_texts(columns_, names, where);
    if (with_label_) {
      choose_label(columns_, names, where);
      choose_gold(columns_, names, where);
    }
    chosen_ = true;
  }

  static const nlohmann::json& field(const nlohmann::json& record,
                                             const std::string& name,
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
    check_text(example.label, lines_.path(), lines_.line_number());
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

  Columns columns_;
  bool with_label_;
  bool chosen_ = false;
  int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<ExampleReader> open_jsonl(LineReader lines, const Columns& columns,
                                          bool with_label) {
  return std::make_unique<JsonlReader>(std::move(lines), columns, with_label);
}

}  // namespace hardkuma
