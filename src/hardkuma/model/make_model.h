#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "hardkuma/model/choice.h"
#include "hardkuma/model/config.h"
#include "hardkuma/model/text_model.h"

namespace hardkuma {

/// The selection at prediction that a config describes.
Choice choice_of(const Config& config);

/// The network a config describes, with weights drawn from its seed.
std::shared_ptr<TextModel> make_model(const Config& config, at::Tensor embedding);

}  // namespace hardkuma
