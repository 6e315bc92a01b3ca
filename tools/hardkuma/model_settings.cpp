#include "model_settings.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"
#include "hardkuma/model/config_layers.h"
#include "hardkuma/train/presets.h"

namespace hardkuma {
namespace {

struct Shorthand {
  const char* flag;
  const char* setting;
};

// Flags for the settings people change most; --set reaches all the others.
constexpr Shorthand kShorthands[] = {
    {"--target", "objective.target"}, {"--model", "model.kind"},
    {"--encoder", "model.encoder"},   {"--controller", "controller.name"},
    {"--decision", "model.decision"}, {"--hidden", "model.hidden"},
    {"--vectors", "data.vectors"},    {"--text", "data.text"},
    {"--label", "data.label"},        {"--aspect", "data.aspect"},
    {"--second", "data.second"},      {"--gold", "data.gold"},
    {"--task", "data.task"},          {"--tokenizer", "data.tokenizer"},
    {"--epochs", "train.epochs"},     {"--batch", "train.batch"},
    {"--lr", "train.learning_rate"},  {"--seed", "train.seed"},
    {"--workers", "train.workers"},
};

struct Switch {
  const char* flag;
  const char* setting;
  const char* value;
  const char* help;  // null: the setting's own
};

constexpr Switch kSwitches[] = {
    {"--truncate", "data.truncate", "true", nullptr},
    {"--dependent", "model.dependent", "true", nullptr},
    {"--no-baseline", "objective.baseline", "none",
     "bernoulli: REINFORCE as published, without the running mean subtracted"},
};

const Setting& find_setting(const std::vector<Setting>& table, const std::string& name) {
  for (const Setting& setting : table) {
    if (setting.name == name) return setting;
  }
  throw InternalError("[model_settings] no setting {}", name);
}

std::string value_in(Config config, const std::string& name) {
  const std::string text = setting_text(find_setting(settings(config), name));
  const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// The paper's presets repeat its settings; their values would only clutter the help.
bool is_for_use(const std::string& preset) {
  return !preset.starts_with("paper-");
}

// The presets' settings; they are asked for once per flag.
const std::map<std::string, Config>& presets_for_use() {
  static const std::map<std::string, Config> table = [] {
    std::map<std::string, Config> out;
    for (const auto& [name, text] : preset_table()) {
      if (is_for_use(name)) out.emplace(name, preset_config(name));
    }
    return out;
  }();
  return table;
}

// "passes over the training set [30; sst: 25; snli: 36]".
std::string help_for(const std::string& name) {
  Config defaults;
  const std::string usual = value_in(presets_for_use().at("default"), name);
  std::string values = usual;
  for (const auto& [preset, config] : presets_for_use()) {
    const std::string value = value_in(config, name);
    if (value != usual)
      values += fmt::format("{}{}: {}", values.empty() ? "" : "; ", preset, value);
  }
  const std::string help = find_setting(settings(defaults), name).help;
  return values.empty() ? help : fmt::format("{} [{}]", help, values);
}

// The type of a flag's value: "{default,paper,fixed}", "INT".
std::string type_for(const std::string& name) {
  Config defaults;
  const Setting setting = find_setting(settings(defaults), name);
  if (const auto* choice = std::get_if<NamedChoice>(&setting.value)) {
    return fmt::format("{{{}}}", fmt::join(choice->names, ","));
  }
  if (name == "objective.target") return "SHARE";
  if (name == "data.vectors") return "FILE";
  if (std::holds_alternative<int64_t*>(setting.value)) return "INT";
  return std::holds_alternative<double*>(setting.value) ? "FLOAT" : "NAME";
}

}  // namespace

std::string pair_remarks(int64_t undecided, int64_t misplaced_marks) {
  const auto line = [](int64_t pairs, const char* what) {
    return pairs == 0
               ? std::string()
               : fmt::format("{} pair{} {}\n", with_commas(pairs), pairs == 1 ? "" : "s", what);
  };
  return line(undecided, "without a gold label (\"-\") left out") +
         line(misplaced_marks, "whose highlights are not those of their texts count as unmarked");
}

std::string aspect_of(const Config& config, const std::string& directory) {
  if (!config.data.aspect.empty()) return config.data.aspect;
  if (!config.data.label.empty()) return config.data.label;
  const std::filesystem::path path = std::filesystem::path(directory).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

void SettingFlags::add_to(CLI::App& command) {
  std::string names;
  for (const auto& [name, text] : preset_table()) names += (names.empty() ? "" : ", ") + name;
  preset_option_ =
      command.add_option("--preset", preset, "named settings: " + names)->capture_default_str();
  command.add_option("--config", config_file, "settings from a TOML file, over the preset")
      ->type_name("FILE");
  for (const Shorthand& shorthand : kShorthands) {
    const std::string setting = shorthand.setting;
    command
        .add_option_function<std::string>(
            shorthand.flag,
            [this, setting](const std::string& text) { shorthands.emplace_back(setting, text); },
            help_for(setting))
        ->type_name(type_for(setting));
  }
  for (const Switch& flag : kSwitches) {
    command.add_flag_callback(
        flag.flag, [this, flag] { shorthands.emplace_back(flag.setting, flag.value); },
        flag.help == nullptr ? help_for(flag.setting) : flag.help);
  }
  command.add_option("--set", sets, "any other setting, as key=value (see --dump-config)")
      ->take_all()
      ->allow_extra_args(false);
}

Config SettingFlags::over(const Config& base) const {
  ConfigLayers layers(base);
  if (!config_file.empty()) layers.overlay(read_file(config_file), config_file);
  for (const auto& [name, text] : shorthands) layers.set(name, text, "command line");
  for (const std::string& set : sets) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos) throw UsageError("--set {}: write key=value", set);
    layers.set(set.substr(0, equals), set.substr(equals + 1), "--set");
  }
  return layers.finish();
}

Config SettingFlags::config() const {
  return over(preset_config(preset));
}

}  // namespace hardkuma
