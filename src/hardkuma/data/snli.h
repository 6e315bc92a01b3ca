#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hardkuma/data/reader.h"

namespace hardkuma {

/// A field of the record by its name, or null.
using FieldOf = std::function<const std::string*(const std::string& name)>;

/// What SNLI and e-SNLI say of a pair beside its two texts, whose columns are called `first` and
/// `second`: the words, by `<column>_binary_parse`; the annotators' highlights as gold spans, by
/// `<column>_marked_1`, `_2` and `_3`, taken together. If one of them is not its text the pair has
/// no gold.
void read_pair_columns(const std::string& first, const std::string& second, const FieldOf& field,
                       RawExample& example);

/// The words of a binary parse like "( ( A man ) sleeps )".
std::vector<std::string> parse_leaves(std::string_view parse);

/// Cuts the text at a parse's leaves, if there are any. If they are not the text's own characters
/// the text becomes the leaves, joined by spaces.
void cut_at_leaves(const std::vector<std::string>& leaves, RawText& text);

/// Where stars stand around words in `marked` but not in `text`, adds them as spans; false, and
/// nothing added, if the two differ in more than stars and white space.
bool add_marked(std::string_view text, std::string_view marked, std::vector<CharSpan>& spans);

}  // namespace hardkuma
