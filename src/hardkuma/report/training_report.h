#pragma once

#include <map>
#include <string>
#include <vector>

#include "hardkuma/eval/selection_profile.h"
#include "hardkuma/model/config.h"
#include "hardkuma/report/chart.h"
#include "hardkuma/report/explanation.h"
#include "hardkuma/report/table.h"
#include "hardkuma/train/training_run.h"

namespace hardkuma {

/// An explained example and its true label.
struct ReportedExample {
  Explanation explanation;
  std::string truth;
};

struct TrainingReport {
  std::string title;
  std::string command;  ///< that reproduces it
  const Config& config;
  std::vector<NamedEvaluation> results;
  const std::vector<EpochReport>& epochs;
  SelectionProfile profile;  ///< of the last split measured; empty where nothing is selected
  std::vector<ReportedExample> right;
  std::vector<ReportedExample> wrong;
  std::vector<std::pair<double, double>> coverage = {};  ///< of the last split; see coverage()
};

/// Chooses correct and wrong examples in the set's order; for regression, examples with small
/// errors in the set's order, and the largest errors.
void choose_examples(const std::vector<Example>& set,
                     const std::vector<ExamplePrediction>& predictions, size_t each,
                     TrainingReport& report);

/// Share of texts answered and accuracy on these, answering the most certain texts first.
std::vector<std::pair<double, double>> coverage(const std::vector<Example>& set,
                                                const std::vector<ExamplePrediction>& predictions);

/// A value of each epoch's report, as a line.
Series by_epoch(const std::string& name, const std::vector<EpochReport>& epochs,
                double (*value)(const EpochReport&));

/// The content of report.html: a self-contained page with charts.
std::string training_page(const TrainingReport& report);

/// The reports of a finished run, by file name.
std::map<std::string, std::string> run_reports(const FinishedRun& run);

}  // namespace hardkuma
