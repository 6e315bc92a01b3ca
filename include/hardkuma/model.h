#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hardkuma/error.h"
#include "hardkuma/evaluation.h"
#include "hardkuma/explanation.h"

namespace hardkuma {

struct ModelOptions {
  std::string device = "cpu";  ///< auto, cpu or cuda
  int64_t workers = 0;         ///< threads for many texts at once; 0: one per core
  bool truncate = false;       ///< cut texts that are too long instead of refusing them
};

/// A trained model.
///
///   const hardkuma::Model model("reviews.model");
///   const hardkuma::Explanation e = model.explain("A lovely, bright pour.");
///   std::puts(hardkuma::to_json_line(e).c_str());
///
/// Any number of threads may use one model at once. It caches projections of words, in up to
/// 256 MiB. Functions throw Error.
class Model {
 public:
  explicit Model(const std::filesystem::path& directory, const ModelOptions& options = {});
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// A text without words gets the prediction of one unknown word, and an empty rationale.
  Explanation explain(const std::string& text) const;
  std::vector<Explanation> explain_all(const std::vector<std::string>& texts) const;

  /// For models that read pairs.
  Explanation explain(const std::string& first, const std::string& second) const;
  std::vector<Explanation> explain_all(
      const std::vector<std::pair<std::string, std::string>>& pairs) const;

  /// Evaluates on labelled data. Without `split`: a whole file, or a directory's test split, or dev
  /// if it has no test.
  Evaluation evaluate(const std::string& data, const std::string& split = "") const;

  /// From now on, selects this share of each text, in at most `spans` runs of words (0: no limit).
  /// Must not be called while other threads use the model.
  void set_budget(double share, int64_t spans = 0);

  bool reads_pairs() const;
  bool selects_words() const;
  std::vector<std::string> labels() const;  ///< classes in order; or names of a regression's values
  std::string aspect() const;               ///< the aspect it was trained on; "" if none

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Explains one text with several models, each for its own aspect.
std::vector<Explanation> explain(const std::vector<const Model*>& models, const std::string& text);

}  // namespace hardkuma
