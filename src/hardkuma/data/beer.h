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

/// The index of an aspect: 0 for "look" or "0", …; kAllAspects for "all". Anything else, also "",
/// is an InputError that names `where`.
int beer_aspect(const std::string& name, const std::string& where);

/// Does a line start like a record of Lei et al.'s files? That is a review (five scores in [0, 1],
/// a tab, words) or an annotated one (a JSON object with "x" and "y").
bool looks_like_beer(std::string_view line);

/// Parses one review of either kind, tokenised at white space. Its label is `aspect`'s score, or
/// with kAllAspects its values are all five. Its gold spans are the aspect's annotated ranges (with
/// kAllAspects those of all), if any. Scores outside [0, 1] are InputErrors.
RawExample parse_beer(const std::string& line, int aspect, const std::string& where);

std::unique_ptr<ExampleReader> open_beer(LineReader lines, const Columns& columns, bool with_label);

/// The files with an aspect's reviews in a directory, "" if there are none: the aspect's own, else
/// those of all aspects. Both are from the same set, so that no review is in both.
struct BeerFiles {
  std::string train;
  std::string heldout;
};
BeerFiles find_beer_files(const std::string& directory, int aspect);

}  // namespace hardkuma
