#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "hardkuma/data/reader.h"

namespace hardkuma {

/// What the five scores of a beer review rate, in the order of the files.
constexpr std::array<const char*, 5> kBeerAspects = {"look", "smell", "palate", "taste", "overall"};

constexpr int kAllAspects = -1;
constexpr int kNoAspect = -2;  ///< neither scores nor annotations are wanted

/// "look" or "0" as 0 …, "all" as kAllAspects. An InputError naming `where` for anything else, also
/// for "".
int beer_aspect(const std::string& name, const std::string& where);

/// Does a line start like a record of Lei et al.'s files? That is a review (five scores in [0, 1],
/// a tab, words) or an annotated one (a JSON object with "x" and "y").
bool looks_like_beer(std::string_view line);

/// One review of either kind, cut at white space as given: `aspect`'s score as its label, or all
/// five as its values; the aspect's annotated ranges as gold spans (of any aspect, for all), none
/// where nothing was annotated. Scores outside [0, 1] are InputErrors.
RawExample parse_beer(const std::string& line, int aspect, const std::string& where);

std::unique_ptr<ExampleReader> open_beer(LineReader lines, const Columns& columns, bool with_label);

/// The files with an aspect's reviews in a directory of theirs, "" where there are none: its own,
/// else those of all aspects. Both come from the same kind, so that no review is on both sides.
struct BeerFiles {
  std::string train;
  std::string heldout;
};
BeerFiles find_beer_files(const std::string& directory, int aspect);

}  // namespace hardkuma
