#include "hardkuma/train/prepare.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "hardkuma/common/error.h"
#include "hardkuma/common/random.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/letter_runs.h"
#include "hardkuma/data/make_example.h"
#include "hardkuma/data/word_vectors.h"
#include "hardkuma/model/data_options.h"
#include "hardkuma/nn/linear.h"
#include "hardkuma/train/settings_by_data.h"

namespace hardkuma {
namespace {

constexpr double kRange = 0.5;  // of embeddings at first

using Counts = std::unordered_map<std::string, int64_t>;

Counts count_words(const RawSplit& split) {
  Counts counts;
  for (const RawExample& example : split.examples) {
    for (const RawText* side : {static_cast<const RawText*>(&example), &example.second}) {
      for (const Token& token : side->tokens) ++counts[std::string(token.in(side->text))];
    }
  }
  return counts;
}

// Most frequent first, ties in alphabetical order, so that word indices are deterministic.
std::vector<std::string> frequent_words(const Counts& counts, int64_t min_count) {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [word, count] : counts) {
    if (count >= min_count && !Vocabulary::is_reserved(word)) order.emplace_back(-count, word);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> words;
  for (auto& [count, word] : order) words.push_back(std::move(word));
  return words;
}

// Half of the variance comes from the word's runs of letters, half from the word itself.
void embed_letters(const std::string& word, at::Tensor row) {
  const std::vector<std::string> runs = letter_runs(word);
  auto* values = row.data_ptr<float>();
  const auto add = [&](const std::string& part, double scale) {
    const RandomKey key = RandomKey(hash_text(part)).with(kInitStream);
    for (int64_t i = 0; i < row.size(0); ++i) {
      const double uniform = key.with(static_cast<uint64_t>(i)).uniform_double();
      values[i] += static_cast<float>(2.0 * kRange * scale * (uniform - 0.5));
    }
  };
  row.zero_();
  add("=" + word, runs.empty() ? 1.0 : std::sqrt(0.5));
  for (const std::string& run : runs) add(run, std::sqrt(0.5 / static_cast<double>(runs.size())));
}

// Words with capitals that occur less than min_count times also count for their lower case.
void learned_embedding(const Counts& counts, const Config& config, Prepared& out) {
  Counts pooled;
  for (const auto& [word, count] : counts) {
    const std::string lower = lower_case(word);
    if (lower == word || !config.data.lower_case) pooled[word] += count;
    if (lower != word && (config.data.lower_case || count < config.data.min_count))
      pooled[lower] += count;
  }
  const int64_t special = out.vocabulary.size();
  const std::vector<std::string> words = frequent_words(pooled, config.data.min_count);
  for (const std::string& word : words) out.vocabulary.add(word);
  const RandomKey key =
      RandomKey(static_cast<uint64_t>(config.train.seed)).with(kInitStream).with(0);
  out.embedding = uniform_tensor({out.vocabulary.size(), config.model.embedding}, kRange, key);
  if (!config.data.letters || config.model.kind == ModelKind::Svm) return;
  for (size_t w = 0; w < words.size(); ++w)
    embed_letters(words[w], out.embedding[special + static_cast<int64_t>(w)]);
}

void given_embedding(const Counts& counts, const Config& config, Prepared& out) {
  std::unordered_set<std::string> wanted;
  for (const auto& [word, count] : counts) {
    wanted.insert(word);
    wanted.insert(lower_case(word));
  }
  for (const char* bracket : {"(", ")"}) wanted.insert(bracket);
  const WordVectors vectors =
      read_word_vectors(config.data.vectors, wanted, config.data.extra_vectors);
  // The unknown word is zeros; NULL and the classes of unknown words, if there are any, random.
  const auto width = static_cast<size_t>(vectors.width);
  std::vector<float> rows(static_cast<size_t>(out.vocabulary.size()) * width, 0.0f);
  const RandomKey key = RandomKey(0).with(kInitStream);
  for (size_t i = width; i < rows.size(); ++i) {
    rows[i] = static_cast<float>(key.with(i).uniform_double() - 0.5);
  }
  const int64_t special = out.vocabulary.size();
  for (size_t i = 0; i < vectors.words.size(); ++i) {
    if (out.vocabulary.contains(vectors.words[i])) continue;  // keeps the first one
    if (Vocabulary::is_reserved(vectors.words[i])) continue;
    out.vocabulary.add(vectors.words[i]);
    const auto* row = vectors.values.data() + i * static_cast<size_t>(vectors.width);
    rows.insert(rows.end(), row, row + vectors.width);
  }
  out.fingerprints[std::filesystem::path(config.data.vectors).filename().string()] =
      vectors.fingerprint;
  if (out.vocabulary.size() == special) {
    throw InputError("{}: no word of the data is among the vectors", config.data.vectors);
  }
  out.embedding = at::empty({out.vocabulary.size(), vectors.width}, at::kFloat);
  std::copy(rows.begin(), rows.end(), out.embedding.data_ptr<float>());
  if (config.data.normalise) {
    out.embedding /= at::clamp_min(at::linalg_vector_norm(out.embedding, 2, {1}, true), 1e-12);
  }
  for (const auto& [word, count] : counts) {
    out.coverage.tokens += count;
    const bool exact = out.vocabulary.contains(word);
    const bool found = exact || !out.vocabulary.is_unknown(out.vocabulary.find(word));
    (exact ? out.coverage.exact : found ? out.coverage.lower : out.coverage.unknown) += count;
  }
}

}  // namespace

Prepared prepare(RawDataset raw, Config& config) {
  Prepared out;
  const RawSplit& train = raw.splits.at("train");
  std::vector<const RawSplit*> labelled = {&train};
  for (const auto& [name, split] : raw.splits) {
    if (&split != &train && split.path == train.path) labelled.push_back(&split);
  }
  config.task = find_task(labelled, config.data.task);
  if (reads_pairs(config) && config.task.regression) {
    throw InputError(
        "{}: pairs of texts are classified, but the labels are numbers; say --task "
        "classification if they name classes",
        train.path);
  }
  if (!config.task.regression && config.model.likelihood != Likelihood::Squared) {
    throw InputError(
        "model.likelihood has no effect here: it is for regression, and {} has classes; leave it "
        "out",
        train.path);
  }
  out.fingerprints = raw.fingerprints;
  const Counts counts = count_words(train);
  if (!train.aspect.empty()) config.data.aspect = train.aspect;  // "0" becomes look
  if (reads_pairs(config)) out.vocabulary.add_null();
  out.vocabulary.add_unknown_classes(config.data.unknown_classes);
  if (config.data.vectors.empty() || config.model.kind == ModelKind::Svm) {
    learned_embedding(counts, config, out);
  } else {
    given_embedding(counts, config, out);
  }
  DataSize size{static_cast<int64_t>(train.examples.size()), 0, 0};
  std::unordered_set<int32_t> seen;  // of given vectors, more words than these are known
  for (const auto& [word, count] : counts) {
    size.tokens += count;
    const int32_t id = out.vocabulary.find(word);
    if (!out.vocabulary.is_unknown(id)) seen.insert(id);
  }
  size.vocabulary = static_cast<int64_t>(seen.size());
  choose_settings(config, size);
  for (auto& [name, split] : raw.splits) {
    out.undecided += split.undecided;
    out.misplaced_marks += split.misplaced_marks;
    out.splits[name] = make_examples(std::move(split), config.task, out.vocabulary);
  }
  return out;
}

Prepared prepare(const std::string& data, Config& config) {
  return prepare(read_dataset(data, data_options(config)), config);
}

}  // namespace hardkuma
