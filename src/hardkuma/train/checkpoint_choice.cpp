#include "hardkuma/train/checkpoint_choice.h"

#include <cmath>

namespace hardkuma {

double distance_from_target(const Evaluation& e, const Config& config) {
  return std::abs(selected_share(e, config) - config.objective.target);
}

double selected_share(const Evaluation& e, const Config& config) {
  return config.objective.share == Share::OfUnits ? e.selected_micro : e.selected_macro;
}

bool better_checkpoint(const Evaluation& a, const Evaluation& b, const Config& config) {
  if (!has_gates(config)) return a.task_loss < b.task_loss;
  const auto distance = [&](const Evaluation& e) { return distance_from_target(e, config); };
  const bool a_near = distance(a) <= config.train.tolerance;
  const bool b_near = distance(b) <= config.train.tolerance;
  if (a_near != b_near) return a_near;
  return a_near ? a.task_loss < b.task_loss : distance(a) < distance(b);
}

}  // namespace hardkuma
