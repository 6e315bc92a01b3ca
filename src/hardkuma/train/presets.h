#pragma once

#include <map>
#include <string>

#include "hardkuma/model/config.h"

namespace hardkuma {

/// The files of presets/ by name, embedded when the program was built.
const std::map<std::string, std::string>& preset_table();

/// A config with a preset laid over the defaults; an unknown name is a UsageError.
Config preset_config(const std::string& name);

}  // namespace hardkuma
