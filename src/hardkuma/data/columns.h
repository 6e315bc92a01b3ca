#pragma once

#include <string>
#include <vector>

namespace hardkuma {

/// Which fields of a record to read. Empty means: guess from the usual names.
struct Columns {
  bool pair = false;  ///< records hold two texts
  std::string text{};
  std::string second{};  ///< of a pair
  std::string label{};
  std::string gold{};
  std::string aspect{};  ///< which score of a beer review; of a table, the column with that name

  /// Taken before the usual names where they are present: those of the model's training data.
  std::string usual_text{};
  std::string usual_second{};
};

/// The first of the usual names that is among those present, whatever its case; or null.
const std::string* usual_name(const std::vector<std::string>& usual,
                              const std::vector<std::string>& present);

/// Fills in the names of the text columns that were not given. What is asked for and not there, or
/// not asked for and not found, is an InputError that names `where` and what there is.
void choose_texts(Columns& columns, const std::vector<std::string>& present,
                  const std::string& where);

/// Likewise the column of the label, and that of gold spans, which may be missing.
void choose_label(Columns& columns, const std::vector<std::string>& present,
                  const std::string& where);
void choose_gold(Columns& columns, const std::vector<std::string>& present,
                 const std::string& where);

}  // namespace hardkuma
