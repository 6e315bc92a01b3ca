#include "hardkuma/model/config_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

// All values as TOML, to compare.
std::vector<std::string> values_of(Config config) {
  std::vector<std::string> out;
  for (const Setting& setting : settings(config)) out.push_back(setting_text(setting));
  return out;
}

template <typename T>
void put(const Setting& setting, const Setting& from) {
  if (auto* const* to = std::get_if<T*>(&setting.value)) **to = *std::get<T*>(from.value);
}

}  // namespace

Config effective(Config config) {
  Config defaults;
  const std::vector<Setting> initial = settings(defaults);
  const std::vector<Setting> own = settings(config);
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i].acts(config)) continue;
    put<bool>(own[i], initial[i]);
    put<int64_t>(own[i], initial[i]);
    put<double>(own[i], initial[i]);
    put<std::string>(own[i], initial[i]);
    if (const auto* choice = std::get_if<NamedChoice>(&own[i].value)) {
      choice->set(std::get<NamedChoice>(initial[i].value).get());
    }
  }
  validate(config);
  return config;
}

Config full_text_of(Config config) {
  config.model.kind = reads_pairs(config) ? ModelKind::PairAttention : ModelKind::FullText;
  config.train.full_text = false;
  config.train.start.clear();
  return effective(config);
}

std::string first_difference(Config was, Config now) {
  const std::vector<Setting> first = settings(was);
  const std::vector<Setting> second = settings(now);
  for (size_t i = 0; i < first.size(); ++i) {
    if (setting_text(first[i]) == setting_text(second[i])) continue;
    return fmt::format("{} was {} and is now {}", first[i].name, setting_text(first[i]),
                       setting_text(second[i]));
  }
  return "";
}

void ConfigLayers::overlay(const std::string& toml, const std::string& path) {
  for (GivenSetting& given : overlay_toml(config_, toml, path)) given_.push_back(std::move(given));
}

void ConfigLayers::set(const std::string& name, const std::string& text, const std::string& where) {
  set_config(config_, name, text, where);
  const std::vector<Setting> table = settings(config_);
  const auto setting =
      std::find_if(table.begin(), table.end(), [&](const Setting& s) { return s.name == name; });
  if (setting->found_by_training) {
    throw InputError("{}: {} is found by training, see train.calibrate; leave it out", where, name);
  }
  given_.push_back({name, where});
}

Config ConfigLayers::finish() const {
  const Config config = effective(config_);
  Config given = config_;
  const std::vector<Setting> table = settings(given);
  const std::vector<std::string> base = values_of(base_);
  const std::vector<std::string> kept = values_of(config);
  for (const GivenSetting& one : given_) {
    const auto setting = std::find_if(table.begin(), table.end(),
                                      [&](const Setting& s) { return s.name == one.name; });
    const auto i = static_cast<size_t>(setting - table.begin());
    const std::string value = setting_text(*setting);
    if (setting->acts(config) || value == base[i] || value == kept[i]) continue;
    const std::string where = setting->condition->where;
    std::string here = "model.kind is " + name_of(config.model.kind);
    if (where.find("controller") != std::string::npos) {
      here += ", controller.name " + name_of(config.controller.name);
    }
    throw InputError("{}: {} has no effect here: it acts {} (here {}); leave it out", one.where,
                     one.name, where, here);
  }
  return config;
}

}  // namespace hardkuma
