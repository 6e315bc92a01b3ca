#pragma once

#include <string>
#include <vector>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// Resets settings that have no effect given the others to their defaults, then validates.
Config effective(Config config);

/// The config of the full-text baseline: the same without a selector.
Config full_text_of(Config config);

/// The first setting in which two configs differ, as "train.epochs was 3 and is now 4"; "" if none.
std::string first_difference(Config was, Config now);

/// A Config built from layers; remembers where each setting was given.
///
///   ConfigLayers layers(preset_config("beer"));
///   layers.overlay(read_file(path), path);
///   layers.set("model.kind", "attention", "command line");
///   const Config config = layers.finish();
class ConfigLayers {
 public:
  explicit ConfigLayers(Config base) : base_(effective(base)), config_(std::move(base)) {}

  void overlay(const std::string& toml, const std::string& path);
  void set(const std::string& name, const std::string& text, const std::string& where);

  /// effective(). A given setting that differs from the base and has no effect is an InputError.
  Config finish() const;

 private:
  Config base_;
  Config config_;
  std::vector<GivenSetting> given_;
};

}  // namespace hardkuma
