#pragma once

#include <cstdint>
#include <functional>
#include <shared_mutex>
#include <vector>

#include "hardkuma/common/workers.h"
#include "hardkuma/model/prediction.h"
#include "hardkuma/model/projections.h"
#include "hardkuma/model/text_model.h"

namespace hardkuma {

/// Predicts sets of texts. The model must outlive this, and its weights must not change, since
/// computations per word are cached. Several threads may use it at once.
class Predictor {
 public:
  explicit Predictor(TextModel& model) : Predictor(model, int64_t{1} << 28) {}
  Predictor(TextModel& model, int64_t bytes)
      : model_(model), projections_(model, Projections::kAllTables, bytes) {}

  /// Batches split over the workers, results in the order of the set.
  std::vector<ExamplePrediction> predict(const std::vector<Example>& set, Workers& workers);

 private:
  std::vector<ExamplePrediction> predict_on_gpu(const std::vector<Example>& set);
  void with_projections(const std::vector<int32_t>& words, Workers& workers,
                        const std::function<void(const Projections&)>& use);

  TextModel& model_;
  std::shared_mutex mutex_;  // of projections_: shared to read, exclusive to change
  Projections projections_;
};

/// Predicts one set with the model's current weights.
std::vector<ExamplePrediction> predict_all(TextModel& model, const std::vector<Example>& set,
                                           Workers& workers);

}  // namespace hardkuma
