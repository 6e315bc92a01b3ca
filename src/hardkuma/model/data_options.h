#pragma once

#include "hardkuma/data/dataset.h"
#include "hardkuma/model/config.h"

namespace hardkuma {

/// A config's options for reading data.
DataOptions data_options(const Config& config);

}  // namespace hardkuma
