#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "hardkuma/common/directory.h"
#include "hardkuma/data/vocabulary.h"
#include "hardkuma/model/classifier.h"
#include "hardkuma/model/config.h"

namespace hardkuma {

class TextModel;

/// A trained model with everything that prediction needs.
struct SavedModel {
  Config config;
  Vocabulary vocabulary;
  std::unique_ptr<Classifier> classifier;
};

/// Add the files that prediction needs to a commit: config.toml, vocab.txt, model.safetensors.
void add_settings(DirectoryCommit& commit, const Config& config);
void add_vocabulary(DirectoryCommit& commit, const Vocabulary& vocabulary);
void add_weights(DirectoryCommit& commit, const std::map<std::string, at::Tensor>& weights);

/// Loads a directory's last commit. A missing, damaged, truncated or foreign file is an InputError
/// that names it.
SavedModel load_model(const std::filesystem::path& directory);

/// Loads only the weights.
std::map<std::string, at::Tensor> load_weights_of(const std::filesystem::path& directory);

/// Copies the weights of a saved model that have the same name here. Different shapes, a different
/// vocabulary, or no weights in common besides the embedding is an InputError.
void start_from(TextModel& model, const Vocabulary& vocabulary,
                const std::filesystem::path& directory);

}  // namespace hardkuma
