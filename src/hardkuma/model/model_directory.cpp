#include "hardkuma/model/model_directory.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/model/make_model.h"
#include "hardkuma/model/network_classifier.h"
#include "hardkuma/model/ngram_svm.h"
#include "hardkuma/model/safetensors.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.toml";
constexpr const char* kVocabulary = "vocab.txt";
constexpr const char* kWeights = "model.safetensors";

void check_directory(const fs::path& directory) {
  if (!fs::exists(directory)) throw InputError("{}: no such directory", directory.string());
  if (!fs::is_directory(directory)) {
    throw InputError("{}: not a directory; a model is the directory that train wrote",
                     directory.string());
  }
}

void check_complete(const CommittedDirectory& committed, const fs::path& directory) {
  const std::string name = directory.string();
  if (!committed.has_manifest()) {
    const bool other = fs::exists(directory / kConfig);
    if (other) throw InputError("{}: manifest.json is missing; the model is incomplete", name);
    throw InputError("{}: not a model directory: it has no manifest.json", name);
  }
  for (const char* file : {kConfig, kVocabulary, kWeights}) {
    if (committed.has(file)) continue;
    throw InputError("{}: training has not finished an epoch yet; go on with train --resume", name);
  }
}

// Run before the network is allocated, which has at least one hidden x hidden matrix.
void check_size(const Config& config, const TensorFile& file, const std::string& path) {
  int64_t weights = 0;
  for (const auto& [name, tensor] : file.tensors) {
    if (name != "embedding") weights += tensor.numel();
  }
  if (config.model.hidden * config.model.hidden <= weights) return;
  throw InputError(
      "{}: {} weights, too few for model.hidden = {}; the files do not belong together", path,
      weights, config.model.hidden);
}

std::unique_ptr<Classifier> classifier_of(const SavedModel& saved, const TensorFile& file,
                                          const std::string& path) {
  if (saved.config.model.kind == ModelKind::Svm) {
    return std::make_unique<NgramSvm>(
        NgramSvm::from_tensors(file.tensors, saved.config.task, path));
  }
  const auto embedding = file.tensors.find("embedding");
  const bool fits = embedding != file.tensors.end() && embedding->second.dim() == 2 &&
                    embedding->second.size(0) == saved.vocabulary.size() &&
                    embedding->second.scalar_type() == at::kFloat;
  if (!fits) {
    throw InputError("{}: no embedding of {} words; the files do not belong together", path,
                     saved.vocabulary.size());
  }
  check_size(saved.config, file, path);
  const auto model = make_model(saved.config, embedding->second);
  load_weights(*model, file.tensors, path);
  return std::make_unique<NetworkClassifier>(model);
}

SavedModel load_committed(const CommittedDirectory& committed, const fs::path& directory) {
  check_complete(committed, directory);
  committed.verify({kConfig, kVocabulary, kWeights});  // these three are verified when read
  SavedModel saved;
  const std::string config = (directory / kConfig).string();
  overlay_toml(saved.config, committed.read(kConfig), config);
  validate(saved.config);
  if (!saved.config.task.regression && saved.config.task.labels.empty()) {
    throw InputError("{}: no [task] section", config);
  }
  const std::string vocabulary = (directory / kVocabulary).string();
  saved.vocabulary = Vocabulary::from_text(committed.read(kVocabulary), vocabulary);
  if (saved.vocabulary.unknown_classes() != saved.config.data.unknown_classes) {
    throw InputError("{}: {} classes of unknown words where the settings say {}", vocabulary,
                     saved.vocabulary.unknown_classes(), saved.config.data.unknown_classes);
  }
  const std::string weights = (directory / kWeights).string();
  saved.classifier =
      classifier_of(saved, parse_safetensors(committed.read(kWeights), weights), weights);
  return saved;
}

}  // namespace

void add_settings(DirectoryCommit& commit, const Config& config) {
  commit.add(kConfig, to_toml(config));
}

void add_vocabulary(DirectoryCommit& commit, const Vocabulary& vocabulary) {
  commit.add(kVocabulary, vocabulary.to_text());
}

void add_weights(DirectoryCommit& commit, const std::map<std::string, at::Tensor>& weights) {
  commit.add(kWeights, [&](const Sink& sink) {
    write_safetensors(sink, {weights, {{"format", "hardkuma-1"}}});
  });
}

SavedModel load_model(const fs::path& directory) {
  check_directory(directory);
  return read_committed(directory, [&](const CommittedDirectory& committed) {
    return load_committed(committed, directory);
  });
}

std::map<std::string, at::Tensor> load_weights_of(const fs::path& directory) {
  return read_committed(directory, [&](const CommittedDirectory& committed) {
    return parse_safetensors(committed.read(kWeights), (directory / kWeights).string()).tensors;
  });
}

void start_from(TextModel& model, const Vocabulary& vocabulary, const fs::path& directory) {
  const SavedModel saved = load_model(directory);
  if (saved.vocabulary.to_text() != vocabulary.to_text()) {
    throw InputError("{}: knows other words; a model to start from is one of the same data",
                     directory.string());
  }
  const std::map<std::string, at::Tensor> theirs = saved.classifier->weights();
  const at::NoGradGuard no_grad;
  bool any = false;
  for (auto& item : model.named_parameters()) {
    const auto found = theirs.find(item.key());
    if (found == theirs.end()) continue;
    copy_weight(item.value(), found->second, item.key(), directory.string());
    any = any || item.key() != "embedding";
  }
  if (!any) {
    throw InputError("{}: a model of kind {} has no weights that fit here", directory.string(),
                     name_of(saved.config.model.kind));
  }
}

}  // namespace hardkuma
