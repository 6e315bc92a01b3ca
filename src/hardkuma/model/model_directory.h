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

/// A trained model and all a prediction needs.
struct SavedModel {
  Config config;
  Vocabulary vocabulary;
  std::unique_ptr<Classifier> classifier;
};

/// What a prediction needs, as files of a commit: config.toml, vocab.txt, model.safetensors.
void add_settings(DirectoryCommit& commit, const Config& config);
void add_vocabulary(DirectoryCommit& commit, const Vocabulary& vocabulary);
void add_weights(DirectoryCommit& commit, const std::map<std::string, at::Tensor>& weights);

/// Reads a directory back, as its last commit left it. Anything missing, damaged, truncated or
/// foreign is an InputError that names the file.
SavedModel load_model(const std::filesystem::path& directory);

/// The weights alone.
std::map<std::string, at::Tensor> load_weights_of(const std::filesystem::path& directory);

/// Takes over the weights of a saved model that have the same name here. Other shapes, another
/// vocabulary, or that nothing but the embedding is in common is an InputError.
void start_from(TextModel& model, const Vocabulary& vocabulary,
                const std::filesystem::path& directory);

}  // namespace hardkuma
