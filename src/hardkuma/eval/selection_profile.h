#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hardkuma/data/example.h"
#include "hardkuma/data/labels.h"
#include "hardkuma/eval/predictor.h"

namespace hardkuma {

/// What a model tends to select of texts (not of pairs).
struct SelectionProfile {
  struct Phrase {
    std::string text;       ///< in lower case, a space between words
    int64_t selected = 0;   ///< times it was selected whole where this was predicted
    int64_t elsewhere = 0;  ///< where something else was
  };
  /// For each predicted class, the runs of one to three words selected most and most of all there;
  /// of a regression, for values below and above the middle of those predicted.
  std::vector<std::pair<std::string, std::vector<Phrase>>> phrases;
  /// The share selected in each tenth of a text.
  std::vector<double> by_position;
  /// The share selected of words seen so often in training.
  std::vector<std::pair<std::string, double>> by_frequency;
};

/// `seen` counts the training set's words by number, as word_counts gives them.
SelectionProfile selection_profile(const std::vector<Example>& set,
                                   const std::vector<ExamplePrediction>& predictions,
                                   const TaskInfo& task, const std::vector<int64_t>& seen,
                                   size_t most_phrases = 12);

std::vector<int64_t> word_counts(const std::vector<Example>& set);

}  // namespace hardkuma
