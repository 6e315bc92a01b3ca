#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hardkuma/report/explanation.h"

namespace hardkuma {

/// An open cell between two words.
struct Link {
  size_t first = 0;   ///< word of the first text, from 0
  size_t second = 0;  ///< of the second
  float z = 0.0f;
};

/// The links of a pair without those of NULL, strongest first.
std::vector<Link> strongest_links(const Explanation& pair);

/// "man–person 0.97 · blue–blue 0.90", at most `most`.
std::string links_text(const Explanation& pair, size_t most);

/// Open cells as [{"first":{"start","end","text"},"second":…,"z"}, …], NULL as null.
nlohmann::ordered_json links_json(const Explanation& pair);

/// All cells: {"rows":[null, word, …],"columns":…,"z":[[…], …],"p0":…,"p1":…}.
nlohmann::ordered_json cells_json(const Explanation& pair);

/// The matrix of cells as SVG: a row for each word of the first text, values in hundredths, zeros
/// blank. A side with more than sixty words shows only those with a link.
std::string heat_map(const Explanation& pair);

}  // namespace hardkuma
