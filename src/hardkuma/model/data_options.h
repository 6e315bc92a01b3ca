#pragma once

#include "hardkuma/data/dataset.h"
#include "hardkuma/model/config.h"

namespace hardkuma {

/// How a config has data read.
DataOptions data_options(const Config& config);

}  // namespace hardkuma
