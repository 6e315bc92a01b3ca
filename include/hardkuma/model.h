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
/// Any number of threads may use one at once. It remembers what it computed of words, in up to a
/// quarter of a gigabyte. Functions throw Error.
class Model {
 public:
  explicit Model(const std::filesystem::path& directory, const ModelOptions& options = {});
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  /// A text without words gets the prediction of one unknown word, and an empty rationale.
  Explanation explain(const std::string& text) const;
  std::vector<Explanation> explain_all(const std::vector<std::string>& texts) const;

  /// By a model that reads pairs.
  Explanation explain(const std::string& first, const std::string& second) const;
  std::vector<Explanation> explain_all(
      const std::vector<std::pair<std::string, std::string>>& pairs) const;

  /// On labelled data: a file, or a directory's test split, else dev; or the split that is named.
  Evaluation evaluate(const std::string& data, const std::string& split = "") const;

  /// From now on selects this share of each text, in at most so many runs of words (0: any). Not
  /// while other threads use the model.
  void set_budget(double share, int64_t spans = 0);

  bool reads_pairs() const;
  bool selects_words() const;
  std::vector<std::string> labels() const;  ///< classes in order; the values' names of a regression
  std::string aspect() const;               ///< what it judges, where it was told; else ""

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// One text by several models, each for an aspect of its own.
std::vector<Explanation> explain(const std::vector<const Model*>& models, const std::string& text);

}  // namespace hardkuma
