#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// The flags that make a Config: --preset, --config, shorthands such as --target, and --set.
struct SettingFlags {
  std::string preset = "default";
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> shorthands;  ///< setting name, text
  std::vector<std::string> sets;                                ///< "key=value"

  void add_to(CLI::App& command);

  /// Defaults ← preset ← file ← shorthands ← --set. A given setting without effect is an error.
  Config config() const;

  /// Only the file, shorthands and --set, laid over `base`.
  Config over(const Config& base) const;

  bool preset_given() const { return preset_option_->count() > 0; }

 private:
  CLI::Option* preset_option_ = nullptr;
};

/// Remarks on unusable pairs or marks of a set, one per line; "" if there are none.
std::string pair_remarks(int64_t undecided, int64_t misplaced_marks);

/// A model's name among several: its aspect, its label column, or its directory.
std::string aspect_of(const Config& config, const std::string& directory);

}  // namespace hardkuma
