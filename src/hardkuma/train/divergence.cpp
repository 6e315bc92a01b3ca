#include "hardkuma/train/divergence.h"

#include <fmt/format.h>

#include <cmath>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

constexpr double kDiverged = 20.0;  // times the loss of an untrained model

}  // namespace

// Not the best constant prediction's loss: on skewed labels an untrained model is far above it.
DivergenceGuard::DivergenceGuard(const Config& config)
    : untrained_(config.task.regression ? 1.0
                                        : std::log(static_cast<double>(config.task.outputs()))) {}

void DivergenceGuard::check_loss(double task) {
  if (!std::isfinite(task)) diverged("the loss is not finite");
  average_ = average_ == 0.0 ? task : 0.98 * average_ + 0.02 * task;
  if (average_ > kDiverged * untrained_) {
    diverged(fmt::format("the loss {:.3g} is far above that of an untrained model, {:.3g}",
                         average_, untrained_));
  }
}

void DivergenceGuard::check_gradient(bool finite) const {
  if (!finite) diverged("the gradient is not finite");
}

void DivergenceGuard::diverged(const std::string& what) const {
  throw InputError("training diverged at epoch {}, step {}: {};{} try a lower train.learning_rate",
                   epoch_ + 1, step_ + 1, what, kept_.empty() ? "" : " " + kept_);
}

}  // namespace hardkuma
