#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hardkuma/data/example.h"

namespace hardkuma {

enum class Tokenizer {
  Words,       ///< Unicode words, separate punctuation; English clitics split as in Penn Treebank
  Whitespace,  ///< as given, cut at white space
};

/// The words of a text with their offsets. `text` must be valid UTF-8.
std::vector<Token> tokenize(std::string_view text, Tokenizer tokenizer);

/// Appends a word, after a space, to a text that is built word by word, and its token to `tokens`.
void append_word(std::string& text, std::vector<Token>& tokens, std::string_view word);

}  // namespace hardkuma
