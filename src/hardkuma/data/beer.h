#pragma once

#include <array>
#include <string>
#include <string_view>

#include "hardkuma/data/reader.h"

namespace hardkuma {

/// What the five scores of a beer review rate, in the order of the files.
constexpr std::array<const char*, 5> kBeerAspects = {"look", "smell", "palate", "taste", "overall"};

/// "look" or "0" as 0 …; -1 for "all". An InputError naming `where` for anything else, also "".
int beer_aspect(const std::string& name, const std::string& where);

/// Does a line start like a review of Lei et al.'s files: five scores, a tab, words?
bool looks_like_beer(std::string_view line);

/// Is a line a JSON object like those of their annotations.json?
bool looks_like_beer_annotation(std::string_view line);

/// One review: `aspect`'s score as its label, or all five as its values for -1, cut at white space
/// as given. Scores outside [0, 1] are InputErrors.
RawExample parse_beer_line(const std::string& line, int aspect, const std::string& where);

/// One annotated review with its gold spans for the aspect (for -1: of any); none where nothing was
/// annotated.
RawExample parse_beer_annotation(const std::string& line, int aspect, const std::string& where);

/// The file with an aspect's `part` ("train" or "heldout") in a directory of theirs, or "": the
/// aspect's own, else the one of all aspects.
std::string find_beer_file(const std::string& directory, int aspect, const std::string& part);

}  // namespace hardkuma
