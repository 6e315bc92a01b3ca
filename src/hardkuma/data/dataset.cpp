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
std::string find_split_file(const fs::path& directory, const std::vector<std::string>& stems) {
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
    throw InputError("{}: both {} and {} could be the {} split; keep one", directory.string(),
                     fs::path(found[0]).filename().string(), fs::path(found[1]).filename().string(),
                     stems[0]);
  }
  return found.empty() ? "" : found[0];
}

void split(RawDataset& dataset, RawSplit whole, double dev_fraction, double test_fraction) {
  for (RawExample& example : whole.examples) {
    RawSplit& split = dataset.splits[split_of(example.text, dev_fraction, test_fraction)];
    split.path = whole.path;
    split.aspect = whole.aspect;
    split.value_names = whole.value_names;
    split.examples.push_back(std::move(example));
  }
  dataset.splits["train"].undecided = whole.undecided;  // reported once, for the whole file
  dataset.splits["train"].misplaced_marks = whole.misplaced_marks;
  for (const char* name : {"train", "dev"}) {
    if (dataset.splits[name].examples.empty()) {
      throw InputError(
          "{}: too few texts to split: the {} split came out empty; give a directory "
          "with train.* and dev.* instead",
          whole.path, name);
    }
  }
}

}  // namespace

std::string split_of(const std::string& text, double dev_fraction, double test_fraction) {
  const double place = RandomKey(hash_text(text)).uniform_double();
  if (place < test_fraction) return "test";
  return place < test_fraction + dev_fraction ? "dev" : "train";
}

RawSplit read_split(const std::string& path, const DataOptions& options) {
  RawSplit split;
  split.path = path;
  const auto reader = open_examples(path, options.columns, /*with_label=*/true);
  split.aspect = reader->aspect();
  split.value_names = reader->value_names();
  for (RawExample example; reader->next(example);) {
    if (example.is_pair && example.label == kUndecided) {
      ++split.undecided;
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
    split.misplaced_marks += example.misplaced_marks ? 1 : 0;
    split.examples.push_back(std::move(example));
  }
  if (split.examples.empty()) throw InputError("{}: no examples in the file", path);
  split.fingerprint = reader->fingerprint();
  if (options.binarise) binarise(split, options.negative_below, options.positive_above);
  return split;
}

void binarise(RawSplit& split, double low, double high) {
  std::vector<RawExample> kept;
  for (RawExample& example : split.examples) {
    double score = 0.0;
    if (!example.values.empty() || !parse_number(example.label, score)) {
      throw InputError("{}:{}: data.binarise needs one number as label, got \"{}\"", split.path,
                       example.line, quotable(example.label));
    }
    if (score > low && score < high) continue;
    example.label = score <= low ? "negative" : "positive";
    example.label_is_number = false;
    kept.push_back(std::move(example));
  }
  if (kept.empty()) {
    throw InputError("{}: no label is at or below {} or at or above {} (data.binarise)", split.path,
                     low, high);
  }
  split.examples = std::move(kept);
}

void balance(RawSplit& split) {
  std::map<std::string, std::vector<std::pair<uint64_t, size_t>>> by_class;
  for (size_t i = 0; i < split.examples.size(); ++i) {
    const RawExample& example = split.examples[i];
    by_class[example.label].emplace_back(RandomKey(hash_text(example.text)).bits(), i);
  }
  size_t smallest = split.examples.size();
  for (const auto& [label, members] : by_class) smallest = std::min(smallest, members.size());
  std::vector<size_t> kept;
  for (auto& [label, members] : by_class) {
    std::sort(members.begin(), members.end());
    for (size_t i = 0; i < smallest; ++i) kept.push_back(members[i].second);
  }
  std::sort(kept.begin(), kept.end());
  std::vector<RawExample> examples;
  for (const size_t i : kept) examples.push_back(std::move(split.examples[i]));
  split.examples = std::move(examples);
}

namespace {

// The files of a directory's splits, by split.
std::map<std::string, std::string> split_files(const std::string& path, const Columns& columns) {
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
    files["train"] = find_split_file(path, {"train"});
    files["dev"] = find_split_file(path, {"dev", "valid", "val"});
    files["test"] = find_split_file(path, {"test"});
  }
  std::erase_if(files, [](const auto& file) { return file.second.empty(); });
  return files;
}

void finish_training_splits(RawDataset& dataset, const DataOptions& options) {
  if (options.binarise) balance(dataset.splits["train"]);
  if (options.train_tokens == 0) return;
  for (const char* name : {"train", "dev"}) {
    for (RawExample& example : dataset.splits[name].examples) {
      const auto most = static_cast<size_t>(options.train_tokens);
      for (RawText* text : {static_cast<RawText*>(&example), &example.second}) {
        if (text->tokens.size() > most) text->tokens.resize(most);
      }
    }
  }
}

}  // namespace

RawDataset split_by_hash(RawSplit whole, const DataOptions& options) {
  RawDataset dataset;
  split(dataset, std::move(whole), options.dev_fraction, options.test_fraction);
  finish_training_splits(dataset, options);
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
    RawSplit whole = read_split(path, options);
    const std::string fingerprint = whole.fingerprint;
    dataset = split_by_hash(std::move(whole), options);
    dataset.fingerprints[name_of_file(path)] = fingerprint;
    return dataset;
  }
  for (const auto& [name, file] : split_files(path, options.columns)) {
    dataset.splits[name] = read_split(file, options);
    if (name == "test") continue;  // nothing is learned from it
    dataset.fingerprints[name_of_file(file)] = dataset.splits[name].fingerprint;
  }
  if (!dataset.splits.contains("train")) {
    throw InputError(
        "{}: no train.csv, train.tsv, train.jsonl or train.txt (or .gz) in the directory", path);
  }
  if (!dataset.splits.contains("dev")) {
    RawSplit whole = std::move(dataset.splits["train"]);
    dataset.splits.erase("train");
    split(dataset, std::move(whole), options.dev_fraction, 0.0);
  }
  finish_training_splits(dataset, options);
  return dataset;
}

}  // namespace hardkuma
