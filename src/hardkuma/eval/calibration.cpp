#include "hardkuma/eval/calibration.h"

#include <algorithm>
#include <cmath>

namespace hardkuma {

double calibrated_threshold(const std::vector<ExamplePrediction>& predictions, double target,
                            Share share) {
  struct Unit {
    float p_nonzero;
    double weight;
  };
  std::vector<Unit> units;
  double all = 0.0;
  for (const ExamplePrediction& prediction : predictions) {
    const double weight =
        share == Share::OfUnits ? 1.0 : 1.0 / static_cast<double>(prediction.p_zero.size());
    for (const float p : prediction.p_zero) units.push_back({1.0f - p, weight});
    all += weight * static_cast<double>(prediction.p_zero.size());
  }
  std::sort(units.begin(), units.end(),
            [](const Unit& a, const Unit& b) { return a.p_nonzero > b.p_nonzero; });
  // Above the first, between two that differ, or at the last.
  double best = 2.0;
  double distance = target;
  double selected = 0.0;
  for (size_t i = 0; i < units.size() && units[i].p_nonzero > 0.0f; ++i) {
    selected += units[i].weight / all;
    const bool last = i + 1 == units.size() || units[i + 1].p_nonzero == 0.0f;
    if (!last && units[i + 1].p_nonzero == units[i].p_nonzero) continue;
    if (std::abs(selected - target) >= distance) continue;
    distance = std::abs(selected - target);
    const float next = last ? 0.0f : units[i + 1].p_nonzero;
    const float between = 0.5f * (units[i].p_nonzero + next);
    best = between > next ? between : units[i].p_nonzero;
  }
  return best;
}

}  // namespace hardkuma
