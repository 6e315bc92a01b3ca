#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hardkuma/data/vocabulary.h"
#include "hardkuma/model/config.h"
#include "hardkuma/model/ngram_svm.h"
#include "hardkuma/model/text_model.h"

namespace hardkuma {

/// A trained model and all a prediction needs.
struct SavedModel {
  Config config;
  Vocabulary vocabulary;
  std::shared_ptr<TextModel> model;  ///< null for a model of kind svm
  std::optional<NgramSvm> svm;       ///< of that kind
};

/// What its models select at prediction.
Choice choice_of(const Config& config);

/// The model a config describes, with weights drawn from its seed.
std::shared_ptr<TextModel> make_model(const Config& config, at::Tensor embedding);

/// Parameters by name.
std::map<std::string, at::Tensor> named_weights(const TextModel& model);

/// Copies weights in by name; a missing or misshapen one is an InputError naming `path`.
void load_weights(TextModel& model, const std::map<std::string, at::Tensor>& weights,
                  const std::string& path);

/// Takes over the weights of a saved model that have the same name here. Other shapes, another
/// vocabulary, or that nothing but the embedding is in common is an InputError.
void start_from(TextModel& model, const Vocabulary& vocabulary,
                const std::filesystem::path& directory);

/// Writes config.toml, then vocab.txt.
void save_settings(const std::filesystem::path& directory, const Config& config,
                   const Vocabulary& vocabulary);

/// Writes model.safetensors.
void save_weights(const std::filesystem::path& directory, const TextModel& model);

/// Reads a directory back. Anything missing, truncated or foreign is an InputError.
SavedModel load_model(const std::filesystem::path& directory);

}  // namespace hardkuma
