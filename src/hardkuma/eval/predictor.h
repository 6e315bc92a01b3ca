#pragma once

#include <cstdint>
#include <vector>

#include "hardkuma/common/workers.h"
#include "hardkuma/data/labels.h"
#include "hardkuma/model/ngram_svm.h"
#include "hardkuma/model/projections.h"
#include "hardkuma/model/text_model.h"

namespace hardkuma {

/// One example's prediction, its units in their order: words as in the text; the cells of a pair
/// row by row, a row for each word of the first text, NULL the first of both.
struct ExamplePrediction {
  std::vector<float> scores;  ///< class probabilities, or the sigmoid's value
  double task_loss = 0.0;
  std::vector<float> z;
  std::vector<float> p_zero;
  std::vector<float> p_one;
  bool gated = false;  ///< are these probabilities of gates?

  int64_t best() const;                                    ///< the likeliest class
  int64_t selected() const;                                ///< how many z > 0
  double expected() const;                                 ///< how many, Σ P(z ≠ 0)
  int64_t likeliest() const;                               ///< how many are likeliest not 0
  double value(const TaskInfo& task, size_t k = 0) const;  ///< regression, in the labels' units
};

/// Predicts sets of texts with a model whose weights stand still, and which outlives this; words
/// seen before are cheaper.
class Predictor {
 public:
  explicit Predictor(TextModel& model) : Predictor(model, int64_t{1} << 28) {}
  Predictor(TextModel& model, int64_t bytes)
      : model_(model), projections_(model, model.on_gpu() ? 0 : Projections::kAllTables, bytes) {}

  /// Batches split over the workers, results in the order of the set.
  std::vector<ExamplePrediction> predict(const std::vector<Example>& set, Workers& workers);

 private:
  std::vector<ExamplePrediction> predict_on_gpu(const std::vector<Example>& set);

  TextModel& model_;
  Projections projections_;
};

/// One set with a model as it is now.
std::vector<ExamplePrediction> predict_all(TextModel& model, const std::vector<Example>& set,
                                           Workers& workers);

/// By a linear model: margins become scores by a softmax, which ranks but is not calibrated; the
/// value of a regression is cut to [0, 1]. Every word counts as selected.
std::vector<ExamplePrediction> predict_all(const NgramSvm& svm, const std::vector<Example>& set,
                                           const TaskInfo& task);

}  // namespace hardkuma
