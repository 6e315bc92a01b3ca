#pragma once

#include <string>
#include <vector>

#include "hardkuma/eval/evaluation.h"
#include "hardkuma/report/chart.h"

namespace hardkuma {

/// The measurements of one trained model of a sweep over targets. A target of 1 is the full-text
/// model, whatever `model` is.
struct SweepPoint {
  std::string model;
  double target = 1.0;
  int64_t seed = 0;
  std::string split;  ///< what it was measured on: "test" or "dev"
  Evaluation measured;
};

/// A header and a row for each point.
std::string sweep_csv(const std::vector<SweepPoint>& points);

/// A header, and for each model and target the means over seeds, with 95% intervals.
std::vector<std::vector<std::string>> sweep_rows(const std::vector<SweepPoint>& points);

/// The task metric against the selected share: a line with a band for each model, and the full
/// text's interval as a horizontal band.
LineChart tradeoff_chart(const std::vector<SweepPoint>& points, const std::string& title);

/// The same for the precision of the rationales. The horizontal line is the annotated share of
/// words: the precision of a random selection.
LineChart precision_chart(const std::vector<SweepPoint>& points, const std::string& title);

/// Does any point have annotated examples?
bool has_gold(const std::vector<SweepPoint>& points);

}  // namespace hardkuma
