#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "hardkuma/data/dataset.h"
#include "hardkuma/data/vocabulary.h"
#include "hardkuma/model/config.h"

namespace hardkuma {

/// How many of the training tokens have a word vector.
struct Coverage {
  int64_t tokens = 0;
  int64_t exact = 0;
  int64_t lower = 0;
  int64_t unknown = 0;
};

/// A data set ready for training.
struct Prepared {
  std::map<std::string, std::vector<Example>> splits;  ///< "train", "dev", maybe "test"
  std::map<std::string, std::string> fingerprints;
  Vocabulary vocabulary;
  at::Tensor embedding;         // [V, D]
  Coverage coverage;            ///< all zero without vectors
  int64_t undecided = 0;        ///< pairs left out because they have no label
  int64_t misplaced_marks = 0;  ///< pairs whose gold spans are of another text

  const std::vector<Example>& split(const std::string& name) const { return splits.at(name); }
};

/// Reads DATA, finds the task (written into config.task), builds vocabulary and embedding.
Prepared prepare(const std::string& data, Config& config);

/// The same from splits already in memory.
Prepared prepare(RawDataset raw, Config& config);

}  // namespace hardkuma
