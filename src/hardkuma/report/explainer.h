#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hardkuma/common/workers.h"
#include "hardkuma/data/reader.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/report/explanation.h"

namespace hardkuma {

/// A trained model that explains raw text; the implementation of the public Model.
///
///   Explainer explainer("reviews.model");
///   const Explanation e = explainer.explain("A lovely, bright pour.");
///
/// It caches computations per word in up to a quarter of a gigabyte. Any number of threads may
/// explain and predict at once: a single text runs in the calling thread, several texts are split
/// over the workers, one caller at a time.
class Explainer {
 public:
  /// `workers` 0: one per core. `device` as choose_device takes it.
  explicit Explainer(const std::filesystem::path& model_directory, int64_t workers = 0,
                     const std::string& device = "cpu");
  Explainer(SavedModel model, int64_t workers);

  Explanation explain(const std::string& text);

  /// For a model that reads pairs.
  Explanation explain(const std::string& first, const std::string& second);

  /// Explains several texts or pairs, in order. `source` is for messages. A text without words gets
  /// the prediction of one unknown word, and an empty rationale; a side of a pair without words is
  /// only NULL.
  std::vector<Explanation> explain(std::vector<RawExample> texts, const std::string& source);

  /// Predictions for examples made with this model's vocabulary.
  std::vector<ExamplePrediction> predict(const std::vector<Example>& examples);

  const SavedModel& model() const { return model_; }

  /// Replaces the selection the model was calibrated to; an InputError if the model cannot do it.
  void set_choice(const Choice& choice);

  /// Answers of classes with a lower probability are taken back; an InputError for a regression.
  void set_min_confidence(double least);

  /// Cut texts that are too long instead of refusing them.
  void set_truncate(bool truncate) { model_.config.data.truncate = truncate; }

 private:
  std::vector<Explanation> explain_with(Workers& workers, std::vector<RawExample> texts,
                                        const std::string& source);

  SavedModel model_;
  double min_confidence_ = 0.0;
  std::mutex workers_mutex_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace hardkuma
