#pragma once

#include <string>
#include <vector>

namespace hardkuma {

/// The runs of 3 to 5 letters in a word, in lower case, with "<" and ">" at its ends; of 1 to 3 in
/// scripts without spaces. Empty for what does not begin with a letter. Words with runs in common
/// are often related.
std::vector<std::string> letter_runs(const std::string& word);

}  // namespace hardkuma
