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
  std::string aspect{};  ///< which score of a beer review; in a table, the label column's name

  /// The column names of the model's training data; if present, preferred to the usual names.
  std::string usual_text{};
  std::string usual_second{};
};

/// The column present that matches the earliest of the usual names, ignoring case; or null.
const std::string* usual_name(const std::vector<std::string>& usual,
                              const std::vector<std::string>& present);

/// Fills in the names of the text columns that were not given. If a given name is missing, or none
/// can be guessed, throws InputError with `where` and the names present.
void choose_texts(Columns& columns, const std::vector<std::string>& present,
                  const std::string& where);

/// The same for the column of labels, and for that of gold spans, which may be missing.
void choose_label(Columns& columns, const std::vector<std::string>& present,
                  const std::string& where);
void choose_gold(Columns& columns, const std::vector<std::string>& present,
                 const std::string& where);

}  // namespace hardkuma
