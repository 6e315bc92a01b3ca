#pragma once

#include <string>
#include <vector>

#include "hardkuma/data/dataset.h"
#include "hardkuma/data/example.h"
#include "hardkuma/data/labels.h"
#include "hardkuma/data/vocabulary.h"

namespace hardkuma {

/// From records to examples: tokenises, looks words up, and matches them with gold spans.

/// Tokenises a record (unless its format did) and applies the length limit. A side of a pair is
/// also limited to kLongestSide, because the number of cells is the product of both lengths.
constexpr int64_t kLongestSide = 1000;
void tokenize_example(RawExample& example, const DataOptions& options, const std::string& path);

/// Per token: does it overlap a span?
std::vector<uint8_t> gold_mask(const std::vector<Token>& tokens,
                               const std::vector<CharSpan>& spans);

/// One unlabelled text, tokenised, as an example.
Example make_example(RawExample raw, const Vocabulary& vocabulary);

/// Labelled records, tokenised, as examples of a known task.
std::vector<Example> make_examples(RawSplit split, const TaskInfo& task,
                                   const Vocabulary& vocabulary);

}  // namespace hardkuma
