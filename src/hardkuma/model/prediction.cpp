#include "hardkuma/model/prediction.h"

#include <algorithm>

#include "hardkuma/nn/least_words.h"

namespace hardkuma {

int64_t ExamplePrediction::best() const {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

int64_t ExamplePrediction::selected() const {
  return std::count_if(z.begin(), z.end(), [](float value) { return value > 0.0f; });
}

double ExamplePrediction::expected() const {
  double out = 0.0;
  for (const float p : p_zero) out += 1.0 - static_cast<double>(p);
  return out + expected_lack({p_zero.begin(), p_zero.end()}, least);
}

int64_t ExamplePrediction::likeliest() const {
  int64_t out = 0;
  for (size_t i = 0; i < p_zero.size(); ++i) {
    // The three outcomes are 0, 1 and in between.
    if (p_zero[i] < std::max(p_one[i], 1.0f - p_zero[i] - p_one[i])) ++out;
  }
  return out;
}

double ExamplePrediction::value(const TaskInfo& task, size_t k) const {
  return task.low + (task.high - task.low) * static_cast<double>(scores.at(k));
}

}  // namespace hardkuma
