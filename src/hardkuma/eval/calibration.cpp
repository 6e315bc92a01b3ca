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
  double always = 0.0;
  for (const ExamplePrediction& prediction : predictions) {
    const double weight =
        share == Share::OfUnits ? 1.0 : 1.0 / static_cast<double>(prediction.p_zero.size());
    for (const float p : prediction.p_zero) units.push_back({p, weight});
    all += weight * static_cast<double>(prediction.p_zero.size());
    if (prediction.least == 0) continue;
    // The likeliest ones are selected at any threshold.
    const auto first = units.end() - static_cast<std::ptrdiff_t>(prediction.p_zero.size());
    const auto end = first + prediction.least;
    std::partial_sort(first, end, units.end(),
                      [](const Unit& a, const Unit& b) { return a.p_zero < b.p_zero; });
    units.erase(first, end);
    always += weight * static_cast<double>(prediction.least);
  }
  std::sort(units.begin(), units.end(),
            [](const Unit& a, const Unit& b) { return a.p_zero < b.p_zero; });
  // Candidates: select nothing, cut between two different values, or select all that can be.
  double best = 2.0;
  double selected = all == 0.0 ? 0.0 : always / all;
  double distance = std::abs(target - selected);
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

double best_temperature(const std::vector<Example>& set,
                        const std::vector<ExamplePrediction>& predictions) {
  constexpr double kMost = 10.0;  // and at least 1 / kMost
  constexpr int kHalvings = 40;
  constexpr double kLeastProbability = 1e-30;
  const auto loss = [&](double log_temperature) {
    const double power = std::exp(-log_temperature);
    double sum = log_temperature * log_temperature;
    for (size_t i = 0; i < set.size(); ++i) {
      const std::vector<float>& scores = predictions[i].scores;
      const double most = *std::max_element(scores.begin(), scores.end());
      double total = 0.0;
      for (const float score : scores)
        total += std::pow(std::max<double>(score, kLeastProbability) / most, power);
      const double given = scores[static_cast<size_t>(set[i].target)];
      sum += std::log(total) - power * std::log(std::max(given, kLeastProbability) / most);
    }
    return sum;
  };
  // The loss is convex in the power, so it has one minimum.
  double low = -std::log(kMost);
  double high = std::log(kMost);
  for (int k = 0; k < kHalvings; ++k) {
    const double a = low + (high - low) / 3.0;
    const double b = high - (high - low) / 3.0;
    (loss(a) < loss(b) ? high : low) = loss(a) < loss(b) ? b : a;
  }
  return std::exp((low + high) / 2.0);
}

}  // namespace hardkuma
