#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hardkuma/model/config.h"
#include "hardkuma/report/tradeoff.h"
#include "hardkuma/train/manifest.h"
#include "run_pool.h"

namespace hardkuma {

/// What a sweep trains: every model at every target and the full-text model, each with `seeds`
/// seeds, counted from the config's.
struct SweepPlan {
  Config config;  ///< all but model, target and seed
  std::string data;
  std::filesystem::path out;  ///< the runs go into out/runs
  std::vector<std::string> models;
  std::vector<double> targets;  ///< at 1 only the full-text model is trained
  int64_t seeds = 3;
  bool warm_start = false;  ///< start each target from the next higher one's weights
};

/// Shares, as "5,10,..,30%" or "0.05,0.1"; two dots continue with the same step.
std::vector<double> parse_targets(const std::string& text);

std::vector<WantedRun> planned_runs(const SweepPlan& plan);

/// The plan's finished runs, in its order, as measured on `split`; "": on test, or on dev if there
/// is no test.
std::vector<SweepPoint> finished_points(const SweepPlan& plan, const std::string& split = "");

/// The results of a finished run.
RunResults results_of(const std::filesystem::path& run);

/// "accuracy 43.1% with 40.0% of the words".
std::string result_line(const std::filesystem::path& run);

}  // namespace hardkuma
