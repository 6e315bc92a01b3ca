#include "hardkuma/train/presets.h"

#include <fmt/ranges.h>

#include <vector>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"

namespace hardkuma {

Config preset_config(const std::string& name) {
  const auto found = preset_table().find(name);
  if (found == preset_table().end()) {
    std::vector<std::string> names;
    for (const auto& [known, text] : preset_table()) names.push_back(known);
    throw UsageError("unknown preset \"{}\"{}; there are: {}", name, did_you_mean(name, names),
                     fmt::join(names, ", "));
  }
  Config config;
  overlay_toml(config, found->second, "preset " + name);
  return config;
}

}  // namespace hardkuma
