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

/// A trained model that explains raw text; what the public Model is made of.
///
///   Explainer explainer("reviews.model");
///   const Explanation e = explainer.explain("A lovely, bright pour.");
///
/// It remembers what it computed of words, in up to a quarter of a gigabyte. Any number of threads
/// may explain and predict at once; single texts are explained in the threads that ask, many are
/// split over the workers, one caller at a time.
class Explainer {
 public:
  /// `workers` 0: one per core. `device` as choose_device takes it.
  explicit Explainer(const std::filesystem::path& model_directory, int64_t workers = 0,
                     const std::string& device = "cpu");
  Explainer(SavedModel model, int64_t workers);

  Explanation explain(const std::string& text);

  /// By a model that reads pairs.
  Explanation explain(const std::string& first, const std::string& second);

  /// Many at once, in order: texts, or pairs. `source` is for messages. A text without words gets
  /// the prediction of one unknown word, and an empty rationale; a side of a pair is then NULL
  /// alone.
  std::vector<Explanation> explain(std::vector<RawExample> texts, const std::string& source);

  /// Predictions for examples made with this model's vocabulary.
  std::vector<ExamplePrediction> predict(const std::vector<Example>& examples);

  const SavedModel& model() const { return model_; }

  /// What to select instead of what the model was calibrated to; an InputError where it cannot.
  void set_choice(const Choice& choice);

  /// Cut texts that are too long instead of refusing them.
  void set_truncate(bool truncate) { model_.config.data.truncate = truncate; }

 private:
  std::vector<Explanation> explain_with(Workers& workers, std::vector<RawExample> texts,
                                        const std::string& source);

  SavedModel model_;
  std::mutex workers_mutex_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace hardkuma
