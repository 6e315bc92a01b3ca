#pragma once

#include <string>
#include <vector>

#include "hardkuma/eval/evaluation.h"
#include "hardkuma/report/chart.h"

namespace hardkuma {

/// One trained model of a sweep over targets, as it was measured. A target of 1 is the full text,
/// whatever the model is called.
struct SweepPoint {
  std::string model;
  double target = 1.0;
  int64_t seed = 0;
  std::string split;  ///< what it was measured on: "test" or "dev"
  Evaluation measured;
};

/// A head and a row for each point.
std::string sweep_csv(const std::vector<SweepPoint>& points);

/// A head, and for each model and target the means over seeds, with 95% intervals.
std::vector<std::vector<std::string>> sweep_rows(const std::vector<SweepPoint>& points);

/// The task metric against what was selected: a line in its band for each model, the full text's
/// interval across.
LineChart tradeoff_chart(const std::vector<SweepPoint>& points, const std::string& title);

/// Likewise the precision of the rationales; the level is the share of words that is annotated:
/// what words picked at random would come to.
LineChart precision_chart(const std::vector<SweepPoint>& points, const std::string& title);

/// Are there annotations to be precise about?
bool has_gold(const std::vector<SweepPoint>& points);

}  // namespace hardkuma
