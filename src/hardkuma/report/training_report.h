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

/// An explained example and the label it has.
struct ReportedExample {
  Explanation explanation;
  std::string truth;
};

struct TrainingReport {
  std::string title;
  std::string command;  ///< that trains it again
  const Config& config;
  std::vector<NamedEvaluation> results;
  const std::vector<EpochReport>& epochs;
  SelectionProfile profile;  ///< of the last split measured; empty where nothing is selected
  std::vector<ReportedExample> right;
  std::vector<ReportedExample> wrong;
};

/// Some examples that are right and some that are not, in the set's order; of a regression those
/// with small errors, and the largest.
void choose_examples(const std::vector<Example>& set,
                     const std::vector<ExamplePrediction>& predictions, size_t each,
                     TrainingReport& report);

/// A line of what was measured after each epoch.
Series by_epoch(const std::string& name, const std::vector<EpochReport>& epochs,
                double (*value)(const EpochReport&));

/// What a training leaves in report.html: a page with charts that needs nothing else.
std::string training_page(const TrainingReport& report);

/// The reports of a finished run, by file name.
std::map<std::string, std::string> run_reports(const FinishedRun& run);

}  // namespace hardkuma
