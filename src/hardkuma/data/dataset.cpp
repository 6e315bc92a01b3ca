#include "hardkuma/data/dataset.h"

#include <algorithm>
#include <filesystem>

#include "hardkuma/common/error.h"
#include "hardkuma/common/random.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/beer.h"
#include "hardkuma/data/make_example.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUndecided = "-";

std::string name_of_file(const std::string& path) {
  return fs::path(path).filename().string();
}

// The file in `directory` called stem.something or something_stem.something, or "".
std::string find_part(const fs::path& directory, const std::vector<std::string>& stems) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.find('.') == std::string::npos || entry.is_directory()) continue;
    const std::string first = name.substr(0, name.find('.'));
    std::string whole = name;  // without its endings, as in snli_1.0_train.jsonl.gz
    if (ends_with_ignore_case(whole, ".gz")) whole.resize(whole.size() - 3);
    whole = whole.substr(0, whole.rfind('.'));
    const bool named = std::any_of(stems.begin(), stems.end(), [&](const std::string& stem) {
      return first == stem || ends_with_ignore_case(whole, "_" + stem);
    });
    if (named) found.push_back(entry.path().string());
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
    part.aspect = whole.aspect;
    part.value_names = whole.value_names;
    part.examples.push_back(std::move(example));
  }
  dataset.parts["train"].undecided = whole.undecided;  // told once, for the whole file
  dataset.parts["train"].misplaced_marks = whole.misplaced_marks;
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

RawPart read_part(const std::string& path, const DataOptions& options) {
  RawPart part;
  part.path = path;
  const auto reader = open_examples(path, options.columns, /*with_label=*/true);
  part.aspect = reader->aspect();
  part.value_names = reader->value_names();
  for (RawExample example; reader->next(example);) {
    if (example.is_pair && example.label == kUndecided) {
      ++part.undecided;
      continue;
    }
    tokenize_example(example, options, path);
    if (example.tokens.empty()) {
      throw InputError("{}:{}: the {}text is empty", path, example.line,
                       example.is_pair ? "first " : "");
    }
    if (example.is_pair && example.second.tokens.empty()) {
      throw InputError("{}:{}: the second text is empty", path, example.line);
    }
    if (example.label.empty() && example.values.empty())
      throw InputError("{}:{}: the label is empty", path, example.line);
    part.misplaced_marks += example.misplaced_marks ? 1 : 0;
    part.examples.push_back(std::move(example));
  }
  if (part.examples.empty()) throw InputError("{}: no examples in the file", path);
  part.fingerprint = reader->fingerprint();
  if (options.binarise) binarise(part, options.negative_below, options.positive_above);
  return part;
}

void binarise(RawPart& part, double low, double high) {
  std::vector<RawExample> kept;
  for (RawExample& example : part.examples) {
    double score = 0.0;
    if (!example.values.empty() || !parse_number(example.label, score)) {
      throw InputError("{}:{}: data.binarise needs one number as label, got \"{}\"", part.path,
                       example.line, quotable(example.label));
    }
    if (score > low && score < high) continue;
    example.label = score <= low ? "negative" : "positive";
    example.label_is_number = false;
    kept.push_back(std::move(example));
  }
  if (kept.empty()) {
    throw InputError("{}: no label is at or below {} or at or above {} (data.binarise)", part.path,
                     low, high);
  }
  part.examples = std::move(kept);
}

void balance(RawPart& part) {
  std::map<std::string, std::vector<std::pair<uint64_t, size_t>>> by_class;
  for (size_t i = 0; i < part.examples.size(); ++i) {
    const RawExample& example = part.examples[i];
    by_class[example.label].emplace_back(RandomKey(hash_text(example.text)).bits(), i);
  }
  size_t smallest = part.examples.size();
  for (const auto& [label, members] : by_class) smallest = std::min(smallest, members.size());
  std::vector<size_t> kept;
  for (auto& [label, members] : by_class) {
    std::sort(members.begin(), members.end());
    for (size_t i = 0; i < smallest; ++i) kept.push_back(members[i].second);
  }
  std::sort(kept.begin(), kept.end());
  std::vector<RawExample> examples;
  for (const size_t i : kept) examples.push_back(std::move(part.examples[i]));
  part.examples = std::move(examples);
}

namespace {

// The files of a directory's parts, by part.
std::map<std::string, std::string> part_files(const std::string& path, const Columns& columns) {
  std::map<std::string, std::string> files;
  bool beer = false;
  for (int k = kAllAspects; k < static_cast<int>(kBeerAspects.size()); ++k) {
    beer = beer || !find_beer_files(path, k).train.empty();
  }
  if (beer) {
    const int aspect = beer_aspect(columns.aspect, path);
    const BeerFiles reviews = find_beer_files(path, aspect);
    if (reviews.train.empty()) {
      throw InputError("{}: no reviews.260k.train.txt.gz here{}", path,
                       aspect == kAllAspects ? "" : ", nor reviews of this aspect alone");
    }
    files["train"] = reviews.train;
    files["dev"] = reviews.heldout;
    const fs::path annotations = fs::path(path) / "annotations.json";
    if (fs::exists(annotations)) files["test"] = annotations.string();
  } else {
    files["train"] = find_part(path, {"train"});
    files["dev"] = find_part(path, {"dev", "valid", "val"});
    files["test"] = find_part(path, {"test"});
  }
  std::erase_if(files, [](const auto& file) { return file.second.empty(); });
  return files;
}

void finish_training_parts(RawDataset& dataset, const DataOptions& options) {
  if (options.binarise) balance(dataset.parts["train"]);
  if (options.train_tokens == 0) return;
  for (const char* name : {"train", "dev"}) {
    for (RawExample& example : dataset.parts[name].examples) {
      const auto most = static_cast<size_t>(options.train_tokens);
      for (RawText* text : {static_cast<RawText*>(&example), &example.second}) {
        if (text->tokens.size() > most) text->tokens.resize(most);
      }
    }
  }
}

}  // namespace

RawDataset split_part(RawPart whole, const DataOptions& options) {
  RawDataset dataset;
  split(dataset, std::move(whole), options.dev_fraction, options.test_fraction);
  finish_training_parts(dataset, options);
  return dataset;
}

void check_read_again(const std::string& path, size_t times) {
  std::error_code ignored;
  const bool once = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) &&
                    !fs::is_directory(path, ignored);
  if (times < 2 || !once) return;
  throw InputError("{}: a pipe can be read once, and this reads it {} times; save it to a file",
                   path, times);
}

RawDataset read_dataset(const std::string& path, const DataOptions& options) {
  RawDataset dataset;
  if (!fs::exists(path)) throw InputError("{}: no such file or directory", path);
  if (!fs::is_directory(path)) {
    RawPart whole = read_part(path, options);
    const std::string fingerprint = whole.fingerprint;
    dataset = split_part(std::move(whole), options);
    dataset.fingerprints[name_of_file(path)] = fingerprint;
    return dataset;
  }
  for (const auto& [name, file] : part_files(path, options.columns)) {
    dataset.parts[name] = read_part(file, options);
    if (name == "test") continue;  // nothing is learned from it
    dataset.fingerprints[name_of_file(file)] = dataset.parts[name].fingerprint;
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
  finish_training_parts(dataset, options);
  return dataset;
}

}  // namespace hardkuma
