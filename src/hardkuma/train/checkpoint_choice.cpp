#include "hardkuma/train/checkpoint_choice.h"

#include <cmath>

namespace hardkuma {

double distance_from_target(const Evaluation& e, const Config& config) {
  return std::abs(selected_share(e, config) - config.objective.target);
}

double selected_share(const Evaluation& e, const Config& config) {
  return config.objective.share == Share::OfUnits ? e.selected_micro : e.selected_macro;
}

bool on_target(const Evaluation& e, const Config& config) {
  return !has_gates(config) || distance_from_target(e, config) <= config.train.tolerance;
}

bool better_checkpoint(const Evaluation& a, const Evaluation& b, const Config& config) {
  if (!has_gates(config)) return a.task_loss < b.task_loss;
  const bool a_near = on_target(a, config);
  if (a_near != on_target(b, config)) return a_near;
  return a_near ? a.task_loss < b.task_loss
                : distance_from_target(a, config) < distance_from_target(b, config);
}

}  // namespace hardkuma
