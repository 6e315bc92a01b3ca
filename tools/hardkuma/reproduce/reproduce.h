#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../sweep.h"
#include "hardkuma/report/study.h"

namespace hardkuma {

/// The arguments of `reproduce`.
struct Reproduction {
  std::string data;     ///< directory; "" for the distribution, which needs none
  std::string vectors;  ///< "": learned embeddings
  std::filesystem::path out;
  int64_t seeds = 3;
  bool quick = false;  ///< less data, fewer epochs and targets
  PoolOptions pool;
};

/// Each trains the runs that are missing and reports the results beside the published ones.
std::vector<StudySection> reproduce_beer(const Reproduction& asked);
std::vector<StudySection> reproduce_sst(const Reproduction& asked);
std::vector<StudySection> reproduce_snli(const Reproduction& asked);
std::vector<StudySection> reproduce_distribution(const Reproduction& asked);

/// The preset's config, with the given vectors.
Config experiment(const Reproduction& asked, const std::string& preset);

/// The data; with `quick` a copy with at most `train_lines` lines of each training file and
/// `other_lines` of each other file.
std::string data_for(const Reproduction& asked, int64_t train_lines, int64_t other_lines);

/// Trains them; an InputError if any failed.
void train_or_fail(const std::vector<WantedRun>& runs, const Reproduction& asked);

/// How the runs were made; `more` is what is specific to the experiment.
StudySection how(const Reproduction& asked, const Config& config, const std::string& more);

/// The caption of a trade-off chart.
std::string tradeoff_caption(const Reproduction& asked);

/// Mean and deviation of the values times `scale`: "43.1 ± 0.9", "43.1" of one value, "–" of none.
std::string mean_text(const std::vector<double>& values, double scale, int digits);

}  // namespace hardkuma
