#include "hardkuma/train/held_rate.h"

#include <cmath>

namespace hardkuma {

double off_target(const Evaluation& e, const Config& config) {
  return std::abs(held_share(e, config) - config.objective.target);
}

double held_share(const Evaluation& e, const Config& config) {
  return config.objective.share == Share::OfUnits ? e.selected_micro : e.selected_macro;
}

bool better_checkpoint(const Evaluation& a, const Evaluation& b, const Config& config) {
  if (!has_gates(config)) return a.task_loss < b.task_loss;
  const auto distance = [&](const Evaluation& e) { return off_target(e, config); };
  const bool a_near = distance(a) <= config.train.tolerance;
  const bool b_near = distance(b) <= config.train.tolerance;
  if (a_near != b_near) return a_near;
  return a_near ? a.task_loss < b.task_loss : distance(a) < distance(b);
}

}  // namespace hardkuma
