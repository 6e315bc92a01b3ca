// Records of one format, FORMAT, or by detection where that is "".
#include "fuzz/fuzz.h"
#include "hardkuma/data/make_example.h"
#include "hardkuma/data/reader.h"

using namespace hardkuma;

namespace {

void check_tokens(const RawText& text) {
  size_t end = 0;
  for (const Token& token : text.tokens) {
    const std::string_view word = token.in(text.text);
    const auto begin = static_cast<size_t>(word.data() - text.text.data());
    fuzz::check(begin >= end, "tokens stand one after the other");
    end = begin + word.size();
  }
  fuzz::check(end <= text.text.size(), "tokens lie in their text");
  fuzz::check(gold_mask(text.tokens, text.gold).size() == text.tokens.size(), "a mark per token");
}

void read_records(const std::string& path, const FileFormat* format, bool with_label, bool pair) {
  DataOptions options;
  options.columns.pair = pair;
  options.columns.aspect = format != nullptr && format->name == "beer" ? "look" : "";
  options.truncate = true;
  const auto reader = open_examples(path, options.columns, with_label, format);
  for (RawExample example; reader->next(example); example = {}) {
    tokenize_example(example, options, path);
    check_tokens(example);
    check_tokens(example.second);
  }
  reader->fingerprint();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string name = FORMAT;
  static const FileFormat* const format = name.empty() ? nullptr : &format_from_name(name);
  const std::string path = fuzz::as_file("records", data, size);
  // One way to read it at a time, chosen by the input, or the fuzzer would be four times slower.
  const bool with_label = format != nullptr && format->labelled && size % 2 == 0;
  const bool pair = (format == nullptr || format->has_columns) && size / 2 % 2 == 1;
  return fuzz::read_or_refuse([&] { read_records(path, format, with_label, pair); });
}
