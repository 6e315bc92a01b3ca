#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hardkuma/data/example.h"
#include "hardkuma/data/labels.h"
#include "hardkuma/model/prediction.h"

namespace hardkuma {

/// Statistics of what a model selects from texts (not pairs).
struct SelectionProfile {
  struct Phrase {
    std::string text;       ///< in lower case, a space between words
    int64_t selected = 0;   ///< texts of this prediction in which it was selected whole
    int64_t elsewhere = 0;  ///< the same for other predictions
  };
  /// For each predicted class, the phrases of one to three words selected more often there than
  /// elsewhere; for regression, for (first) values below and above the median prediction.
  std::vector<std::pair<std::string, std::vector<Phrase>>> phrases;
  /// The share selected in each tenth of a text. First and last words are separate, since a bias
  /// towards one position does not show in its tenth.
  std::vector<double> by_position;
  double first_word = 0.0;
  double last_word = 0.0;
  /// The selected share of words, by how often they occur in training.
  std::vector<std::pair<std::string, double>> by_frequency;
};

/// Counts of a set's words in lower case.
using WordCounts = std::unordered_map<std::string, int64_t>;
WordCounts word_counts(const std::vector<Example>& set);

/// `seen` counts the training set's words.
SelectionProfile selection_profile(const std::vector<Example>& set,
                                   const std::vector<ExamplePrediction>& predictions,
                                   const TaskInfo& task, const WordCounts& seen,
                                   size_t most_phrases = 12);

}  // namespace hardkuma
