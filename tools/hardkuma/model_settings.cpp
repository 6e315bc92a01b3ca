#include "model_settings.h"

#include <CLI/CLI.hpp>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/train/presets.h"

namespace hardkuma {
namespace {

struct Shorthand {
  const char* flag;
  const char* setting;
};

// Flags for the settings people change most; --set reaches all the others.
constexpr Shorthand kShorthands[] = {
    {"--target", "objective.target"},
    {"--model", "model.kind"},
    {"--controller", "controller.name"},
    {"--decision", "model.decision"},
    {"--hidden", "model.hidden"},
    {"--vectors", "data.vectors"},
    {"--text", "data.text"},
    {"--label", "data.label"},
    {"--gold", "data.gold"},
    {"--task", "data.task"},
    {"--tokenizer", "data.tokenizer"},
    {"--epochs", "train.epochs"},
    {"--batch", "train.batch"},
    {"--lr", "train.learning_rate"},
    {"--seed", "train.seed"},
    {"--workers", "train.workers"},
};

std::string help_for(const std::string& name) {
  Config defaults;
  for (const Setting& setting : settings(defaults)) {
    if (setting.name != name) continue;
    const std::string value = setting_text(setting);
    return value == "\"\"" || value == "\'\'" ? setting.help : setting.help + " [" + value + "]";
  }
  throw InternalError("[model_settings] no setting {}", name);
}

}  // namespace

void SettingFlags::add_to(CLI::App& command) {
  preset_option_ = command.add_option("--preset", preset, "named settings: default or sst")
                       ->capture_default_str();
  command.add_option("--config", config_file, "settings from a TOML file, over the preset");
  for (const Shorthand& shorthand : kShorthands) {
    const std::string setting = shorthand.setting;
    command.add_option_function<std::string>(
        shorthand.flag,
        [this, setting](const std::string& text) { shorthands.emplace_back(setting, text); },
        help_for(setting));
  }
  command.add_flag_callback(
      "--truncate", [this] { shorthands.emplace_back("data.truncate", "true"); },
      help_for("data.truncate"));
  command.add_option("--set", sets, "any other setting, as key=value (see --dump-config)")
      ->take_all()
      ->allow_extra_args(false);
}

void SettingFlags::apply(Config& config) const {
  if (!config_file.empty()) overlay_toml(config, read_file(config_file), config_file);
  for (const auto& [name, text] : shorthands) set_config(config, name, text, "command line");
  for (const std::string& set : sets) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos) throw UsageError("--set {}: write key=value", set);
    set_config(config, set.substr(0, equals), set.substr(equals + 1), "--set");
  }
  validate(config);
}

Config SettingFlags::config() const {
  Config config = preset_config(preset);
  apply(config);
  return config;
}

}  // namespace hardkuma
