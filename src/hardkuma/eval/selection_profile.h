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

/// What a model tends to select of texts (not of pairs).
struct SelectionProfile {
  struct Phrase {
    std::string text;       ///< in lower case, a space between words
    int64_t selected = 0;   ///< texts it was selected whole in, where this was predicted
    int64_t elsewhere = 0;  ///< where something else was
  };
  /// For each predicted class, the runs of one to three words selected more often there than
  /// elsewhere; of a regression, for (first) values below and above the middle of those predicted.
  std::vector<std::pair<std::string, std::vector<Phrase>>> phrases;
  /// The share selected in each tenth of a text, and of first and of last words: a habit of one
  /// place drowns in its tenth.
  std::vector<double> by_position;
  double first_word = 0.0;
  double last_word = 0.0;
  /// The share selected of words seen so often in training.
  std::vector<std::pair<std::string, double>> by_frequency;
};

/// Words in lower case, and how often they stand in a set.
using WordCounts = std::unordered_map<std::string, int64_t>;
WordCounts word_counts(const std::vector<Example>& set);

/// `seen` counts the training set's words.
SelectionProfile selection_profile(const std::vector<Example>& set,
                                   const std::vector<ExamplePrediction>& predictions,
                                   const TaskInfo& task, const WordCounts& seen,
                                   size_t most_phrases = 12);

}  // namespace hardkuma
