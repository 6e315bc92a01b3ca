#include "hardkuma/data/snli.h"

#include <algorithm>

#include "hardkuma/common/text.h"
#include "hardkuma/data/tokenizer.h"
#include "hardkuma/data/vocabulary.h"

namespace hardkuma {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The spellings that a leaf may have in the text.
std::vector<std::string> spellings(const std::string& leaf) {
  std::string plain;
  std::remove_copy(leaf.begin(), leaf.end(), std::back_inserter(plain), '\\');
  std::vector<std::string> out = {plain, std::string(penn_bracket(plain))};
  if (plain == "``" || plain == "''") out.emplace_back("\"");
  if (plain == "`" || plain == "'") out.emplace_back("'");
  return out;
}

bool starts_with(std::string_view text, size_t at, std::string_view word) {
  return text.substr(std::min(at, text.size()), word.size()) == word;
}

}  // namespace

std::vector<std::string> parse_leaves(std::string_view parse) {
  std::vector<std::string> out;
  size_t at = 0;
  while (at < parse.size()) {
    const size_t end = std::min(parse.find_first_of(" \t\r\n", at), parse.size());
    const std::string_view piece = parse.substr(at, end - at);
    if (!piece.empty() && piece != "(" && piece != ")") out.emplace_back(piece);
    at = end + 1;
  }
  return out;
}

void cut_at_leaves(const std::vector<std::string>& leaves, RawText& text) {
  if (leaves.empty()) return;
  std::vector<Token> tokens;
  size_t byte = 0;
  int64_t point = 0;
  const auto advance = [&](size_t count) {
    point += count_code_points(std::string_view(text.text).substr(byte, count));
    byte += count;
  };
  for (const std::string& leaf : leaves) {
    while (byte < text.text.size() && is_space(text.text[byte])) advance(1);
    size_t length = 0;
    for (const std::string& spelling : spellings(leaf)) {
      if (length == 0 && starts_with(text.text, byte, spelling)) length = spelling.size();
    }
    if (length == 0) break;
    Token token{point, 0, static_cast<int64_t>(byte), 0};
    advance(length);
    token.end = point;
    token.byte_end = static_cast<int64_t>(byte);
    tokens.push_back(token);
  }
  if (tokens.size() == leaves.size() && trim(std::string_view(text.text).substr(byte)).empty()) {
    text.tokens = std::move(tokens);
    return;
  }
  text = {};
  for (const std::string& leaf : leaves) {
    append_word(text.text, text.tokens, penn_bracket(leaf));
  }
}

bool add_marked(std::string_view text, std::string_view marked, std::vector<CharSpan>& spans) {
  std::vector<CharSpan> found;
  bool inside = false;
  int64_t point = 0;
  size_t t = 0;
  size_t m = 0;
  while (true) {
    const bool star = m < marked.size() && marked[m] == '*' && (t == text.size() || text[t] != '*');
    if (star && inside) {
      ++m;
      inside = false;
      found.back().end = point;
    } else if (t < text.size() && is_space(text[t])) {
      ++t;
      ++point;
    } else if (m < marked.size() && is_space(marked[m])) {
      ++m;
    } else if (star) {
      ++m;
      inside = true;
      found.push_back({point, point});
    } else if (t < text.size() && m < marked.size() && text[t] == marked[m]) {
      ++t;
      ++m;
      // A code point ends if the next byte is not a continuation.
      if (t == text.size() || (static_cast<unsigned char>(text[t]) & 0xC0u) != 0x80u) ++point;
    } else {
      break;
    }
  }
  if (t < text.size() || m < marked.size() || inside) return false;
  spans.insert(spans.end(), found.begin(), found.end());
  return true;
}

void read_pair_columns(const std::string& first, const std::string& second, const FieldOf& field,
                       RawExample& example) {
  for (const auto& [column, text] :
       {std::pair(&first, static_cast<RawText*>(&example)), std::pair(&second, &example.second)}) {
    if (const std::string* parse = field(*column + "_binary_parse")) {
      cut_at_leaves(parse_leaves(*parse), *text);
    }
    for (const char* annotator : {"1", "2", "3"}) {
      const std::string* marked = field(*column + "_marked_" + annotator);
      if (marked == nullptr || trim(*marked).empty()) continue;
      example.has_gold = true;
      if (!add_marked(text->text, *marked, text->gold)) example.misplaced_marks = true;
    }
  }
  if (!example.misplaced_marks) return;
  example.has_gold = false;
  example.gold.clear();
  example.second.gold.clear();
}

}  // namespace hardkuma
