#include "hardkuma/data/dataset.h"

#include <algorithm>
#include <filesystem>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/random.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

// The file in `directory` called stem.something that we can read, or "".
std::string find_part(const fs::path& directory, const std::vector<std::string>& stems) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const std::string stem = name.substr(0, name.find('.'));
    if (name.find('.') == std::string::npos || entry.is_directory()) continue;
    if (std::find(stems.begin(), stems.end(), stem) != stems.end())
      found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  if (found.size() > 1) {
    throw InputError("{}: both {} and {} could be the {} part; keep one", directory.string(),
                     fs::path(found[0]).filename().string(), fs::path(found[1]).filename().string(),
                     stems[0]);
  }
  return found.empty() ? "" : found[0];
}

void split(RawDataset& dataset, RawPart whole, double dev_fraction, double test_fraction) {
  for (RawExample& example : whole.examples) {
    RawPart& part = dataset.parts[part_of(example.text, dev_fraction, test_fraction)];
    part.path = whole.path;
    part.examples.push_back(std::move(example));
  }
  for (const char* name : {"train", "dev"}) {
    if (dataset.parts[name].examples.empty()) {
      throw InputError(
          "{}: too few texts to split: the {} part came out empty; give a directory "
          "with train.* and dev.* instead",
          whole.path, name);
    }
  }
}

}  // namespace

std::string part_of(const std::string& text, double dev_fraction, double test_fraction) {
  const double place = RandomKey(hash_text(text)).uniform_double();
  if (place < test_fraction) return "test";
  return place < test_fraction + dev_fraction ? "dev" : "train";
}

void tokenize_example(RawExample& example, const DataOptions& options, const std::string& path) {
  if (example.tokens.empty()) example.tokens = tokenize(example.text, options.tokenizer);
  const auto count = static_cast<int64_t>(example.tokens.size());
  if (count <= options.max_tokens) return;
  if (!options.truncate) {
    throw InputError(
        "{}:{}: a text of {} tokens, more than the limit of {}; cut long texts with "
        "--truncate, or raise data.max_tokens",
        path, example.line, with_commas(count), with_commas(options.max_tokens));
  }
  example.tokens.resize(static_cast<size_t>(options.max_tokens));
}

RawPart read_part(const std::string& path, const DataOptions& options) {
  RawPart part;
  part.path = path;
  const auto reader = open_examples(path, detect_format(path), options.columns, true);
  for (RawExample example; reader->next(example);) {
    tokenize_example(example, options, path);
    if (example.tokens.empty()) {
      throw InputError("{}:{}: the text is empty", path, example.line);
    }
    if (example.label.empty()) throw InputError("{}:{}: the label is empty", path, example.line);
    part.examples.push_back(std::move(example));
  }
  if (part.examples.empty()) throw InputError("{}: no examples in the file", path);
  return part;
}

RawDataset read_dataset(const std::string& path, const DataOptions& options) {
  RawDataset dataset;
  if (!fs::exists(path)) throw InputError("{}: no such file or directory", path);
  if (!fs::is_directory(path)) {
    RawPart whole = read_part(path, options);
    dataset.fingerprints[fs::path(path).filename().string()] = file_fingerprint(path);
    split(dataset, std::move(whole), options.dev_fraction, options.test_fraction);
    return dataset;
  }
  const std::map<std::string, std::vector<std::string>> stems = {
      {"train", {"train"}}, {"dev", {"dev", "valid", "val"}}, {"test", {"test"}}};
  for (const auto& [name, names] : stems) {
    const std::string file = find_part(path, names);
    if (file.empty()) continue;
    dataset.parts[name] = read_part(file, options);
    dataset.fingerprints[fs::path(file).filename().string()] = file_fingerprint(file);
  }
  if (!dataset.parts.contains("train")) {
    throw InputError(
        "{}: no train.csv, train.tsv, train.jsonl or train.txt (or .gz) in the directory", path);
  }
  if (!dataset.parts.contains("dev")) {
    RawPart whole = std::move(dataset.parts["train"]);
    dataset.parts.erase("train");
    split(dataset, std::move(whole), options.dev_fraction, 0.0);
  }
  return dataset;
}

std::vector<uint8_t> gold_mask(const std::vector<Token>& tokens,
                               const std::vector<CharSpan>& spans) {
  std::vector<uint8_t> mask(tokens.size(), 0);
  for (size_t i = 0; i < tokens.size(); ++i) {
    for (const CharSpan& span : spans) {
      if (tokens[i].start < span.end && tokens[i].end > span.start) mask[i] = 1;
    }
  }
  return mask;
}

}  // namespace hardkuma
