#include "hardkuma/eval/calibration.h"

#include <algorithm>
#include <cmath>

namespace hardkuma {
namespace {

constexpr double kSlack = 0.003;
constexpr double kRelativeSlack = 0.02;

}  // namespace

double calibrated_threshold(const std::vector<ExamplePrediction>& predictions, double target,
                            Share share) {
  struct Unit {
    float p_zero;
    double weight;
  };
  std::vector<Unit> units;
  double all = 0.0;
  for (const ExamplePrediction& prediction : predictions) {
    const double weight =
        share == Share::OfUnits ? 1.0 : 1.0 / static_cast<double>(prediction.p_zero.size());
    for (const float p : prediction.p_zero) units.push_back({p, weight});
    all += weight * static_cast<double>(prediction.p_zero.size());
  }
  std::sort(units.begin(), units.end(),
            [](const Unit& a, const Unit& b) { return a.p_zero < b.p_zero; });
  // Candidates: select nothing, cut between two different values, or select all that can be.
  double best = 2.0;
  double distance = target;
  double selected = 0.0;
  for (size_t i = 0; i < units.size() && units[i].p_zero < 1.0f; ++i) {
    selected += units[i].weight / all;
    const bool last = i + 1 == units.size() || units[i + 1].p_zero >= 1.0f;
    if (!last && units[i + 1].p_zero == units[i].p_zero) continue;
    if (std::abs(selected - target) >= distance) continue;
    distance = std::abs(selected - target);
    const float next = last ? 1.0f : units[i + 1].p_zero;
    const float between = 0.5f * (units[i].p_zero + next);
    best = 1.0 - static_cast<double>(between < next ? between : units[i].p_zero);
  }
  return best;
}

double nearest_threshold(double start, const std::vector<ExamplePrediction>& predictions,
                         double target, Share share) {
  const double slack = std::min(kSlack, kRelativeSlack * std::min(target, 1.0 - target));
  const double low = calibrated_threshold(predictions, target + slack, share);
  const double high = calibrated_threshold(predictions, target - slack, share);
  return std::clamp(start, std::min(low, high), std::max(low, high));
}

}  // namespace hardkuma
