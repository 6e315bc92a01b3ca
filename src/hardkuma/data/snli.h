#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hardkuma/data/reader.h"

namespace hardkuma {

/// A field of the record by its name, or null.
using FieldOf = std::function<const std::string*(const std::string& name)>;

/// Reads the further columns of SNLI and e-SNLI for a pair whose texts are in the columns `first`
/// and `second`: tokens from `<column>_binary_parse`; gold spans from the annotators' highlights in
/// `<column>_marked_1`, `_2` and `_3`, all together. If one of these marks another text, the pair
/// has no gold.
void read_pair_columns(const std::string& first, const std::string& second, const FieldOf& field,
                       RawExample& example);

/// The words of a binary parse like "( ( A man ) sleeps )".
std::vector<std::string> parse_leaves(std::string_view parse);

/// Tokenises the text at a parse's leaves, if there are any. If they do not match the text's
/// characters, the text is replaced by the leaves, joined by spaces.
void cut_at_leaves(const std::vector<std::string>& leaves, RawText& text);

/// Adds spans for the words that have stars around them in `marked` but not in `text`. Returns
/// false, and adds nothing, if the two differ in more than stars and white space.
bool add_marked(std::string_view text, std::string_view marked, std::vector<CharSpan>& spans);

}  // namespace hardkuma
