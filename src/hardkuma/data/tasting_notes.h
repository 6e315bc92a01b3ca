#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hardkuma/data/example.h"

namespace hardkuma {

/// The embedded data set: invented drink reviews, each rating look, smell and palate.
///
/// A review is a shuffled sequence of blocks: one or two adjacent sentences per aspect, and
/// sentences that rate nothing. Each aspect has three remarks: its score is their mean, its class
/// their majority. All aspects share most words of praise and blame. These may be negated ("far
/// from dull") or intensified, and appear in unrated sentences too, so that word counts over the
/// whole text say little: a model has to find the right sentence. `correlation` misleads models
/// that read the wrong aspect; `comparisons` adds sentences that rate another drink with the same
/// words, which mislead models that ignore context.
///
///   for (const TastingNote& note : tasting_notes({.count = 2000, .seed = 1})) …
struct TastingNotesOptions {
  int64_t count = 2000;
  uint64_t seed = 1;
  double correlation = 0.3;     ///< between any two aspects' scores, in [0, 1]
  int64_t comparisons = 0;      ///< sentences that rate an aspect of some other drink
  std::string prefix = "note";  ///< of the ids
};

struct AspectRating {
  double score = 0.5;           ///< in [0, 1]
  std::string label;            ///< "good" or "poor"
  std::vector<CharSpan> spans;  ///< the sentences that rate this aspect
};

constexpr std::array<const char*, 3> kAspects = {"look", "smell", "palate"};

struct TastingNote {
  std::string id;
  std::string text;
  std::array<AspectRating, 3> aspects;  ///< in the order of kAspects
};

/// The same options give the same notes, on every machine.
std::vector<TastingNote> tasting_notes(const TastingNotesOptions& options);

/// One note as a line of JSON: text, and per aspect its class, score and gold spans
/// (`"look":"good","look_score":0.8,"look_spans":[[0,58]]`).
std::string to_jsonl(const TastingNote& note);

}  // namespace hardkuma
