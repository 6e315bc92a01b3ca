#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hardkuma/data/reader.h"

namespace hardkuma {

/// Does a line start like a labelled tree, "(3 (2 The) …"?
bool looks_like_sst(std::string_view line);

/// Parses a Stanford Sentiment Treebank tree: the root's label, and the leaves as words joined by
/// single spaces; `\` is dropped, -LRB- and -RRB- become brackets.
RawExample parse_sst_tree(std::string_view line, const std::string& where);

std::unique_ptr<ExampleReader> open_sst(LineReader lines, const Columns& columns, bool with_label);

/// The labels of the tree's words.
std::vector<int> sst_word_labels(std::string_view line, const std::string& where);

}  // namespace hardkuma
