#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hardkuma/data/example.h"
#include "hardkuma/data/labels.h"
#include "hardkuma/model/classifier.h"

namespace hardkuma {

/// A linear model over a text's n-grams: binary features, scaled to length one. It reads the whole
/// text; it is the paper's baseline without a network. Trained by train/svm.
class NgramSvm final : public Classifier {
 public:
  /// Indices and values of one text's features, indices ascending.
  using Features = std::vector<std::pair<int32_t, double>>;

  /// The features are the n-grams of up to `longest` words that occur in at least `min_count` texts
  /// and have no unknown word.
  static NgramSvm with_features_of(const std::vector<Example>& set, int64_t longest,
                                   int64_t min_count, const TaskInfo& task);

  /// Scores are a softmax of the margins, which ranks classes but is not calibrated. Regression
  /// values are clamped to [0, 1]. Every word counts as selected.
  std::vector<ExamplePrediction> predict(const std::vector<Example>& set,
                                         Workers& workers) override;

  Features features(const Example& example) const;

  /// A margin per class, or the values of a regression.
  std::vector<double> outputs(const Example& example) const;

  int64_t feature_count() const { return static_cast<int64_t>(indices_.size()); }

  std::map<std::string, at::Tensor> weights() const override;
  static NgramSvm from_tensors(const std::map<std::string, at::Tensor>& tensors,
                               const TaskInfo& task, const std::string& path);

  at::Tensor matrix;  ///< [C, F + 1] double, the last column is the bias

 private:
  TaskInfo task_;
  int64_t longest_ = 1;
  std::map<std::vector<int32_t>, int32_t> indices_;  // of each run of words
};

}  // namespace hardkuma
