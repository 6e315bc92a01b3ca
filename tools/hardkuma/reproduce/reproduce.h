#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "../sweep.h"
#include "hardkuma/report/study.h"

namespace hardkuma {

/// What `reproduce` was asked for.
struct Reproduction {
  std::string data;     ///< directory; "" for the distribution, which needs none
  std::string vectors;  ///< "": learned embeddings
  std::filesystem::path out;
  int64_t seeds = 3;
  bool quick = false;  ///< less data, fewer epochs and targets
  PoolOptions pool;
};

/// Each trains what is missing and says what came of it, beside what was published.
std::vector<StudySection> reproduce_beer(const Reproduction& asked);
std::vector<StudySection> reproduce_sst(const Reproduction& asked);
std::vector<StudySection> reproduce_snli(const Reproduction& asked);
std::vector<StudySection> reproduce_distribution(const Reproduction& asked);

/// The preset, with the vectors that were given.
Config experiment(const Reproduction& asked, const std::string& preset);

/// The data, or when in a hurry a copy of some of its lines: so many of each file to train on, and
/// of each other.
std::string data_for(const Reproduction& asked, int64_t train_lines, int64_t other_lines);

/// Trains them; an InputError if any failed.
void train_or_fail(const std::vector<WantedRun>& runs, const Reproduction& asked);

/// How the runs were made, with what is particular to the experiment.
StudySection how(const Reproduction& asked, const Config& config, const std::string& more);

/// What the curves of a trade-off show.
std::string tradeoff_caption(const Reproduction& asked);

/// "43.1 ± 0.9", of numbers that are multiplied first; of one run without a deviation, of none "–".
std::string mean_text(const std::vector<double>& values, double scale, int digits);

}  // namespace hardkuma
