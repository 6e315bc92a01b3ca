#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hardkuma/data/example.h"

namespace hardkuma {

enum class Tokenizer {
  Words,       ///< Unicode words, punctuation on its own, English clitics split as in the Penn bank
  Whitespace,  ///< as given, cut at white space
};

/// The words of a text with their offsets. `text` must be valid UTF-8.
std::vector<Token> tokenize(std::string_view text, Tokenizer tokenizer);

/// Adds a word to a text that is made word by word, after a space, and its token to the tokens.
void append_word(std::string& text, std::vector<Token>& tokens, std::string_view word);

}  // namespace hardkuma
