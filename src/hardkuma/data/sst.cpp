#include "hardkuma/data/sst.h"

#include <algorithm>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/record_reader.h"
#include "hardkuma/data/tokenizer.h"
#include "hardkuma/data/vocabulary.h"

namespace hardkuma {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string leaf_word(std::string_view leaf) {
  std::string out(penn_bracket(leaf));
  out.erase(std::remove(out.begin(), out.end(), '\\'), out.end());
  return out;
}

// Calls on_leaf(label, word) for each leaf in order.
template <typename OnLeaf>
void walk_tree(std::string_view line, const std::string& where, const OnLeaf& on_leaf) {
  if (!looks_like_sst(line)) {
    throw InputError("{}: not a labelled tree like (3 (2 A) (3 word))", where);
  }
  int depth = 0;
  char label = line[1];
  size_t at = 0;
  while (at < line.size()) {
    const char c = line[at];
    if (c == '(') {
      if (depth == 0 && at > 0) throw InputError("{}: text after the end of the tree", where);
      if (at + 2 >= line.size() || !is_digit(line[at + 1]) || line[at + 2] != ' ') {
        throw InputError("{}: a node without a label at column {}", where, at + 1);
      }
      label = line[at + 1];
      ++depth;
      at += 3;
    } else if (c == ')') {
      if (--depth < 0) throw InputError("{}: one \")\" too many at column {}", where, at + 1);
      ++at;
    } else if (c == ' ') {
      ++at;
    } else {
      if (depth == 0) throw InputError("{}: text after the end of the tree", where);
      const size_t end = std::min(line.find_first_of("() ", at), line.size());
      const std::string word = leaf_word(line.substr(at, end - at));
      if (!word.empty()) on_leaf(label, word);
      at = end;
    }
  }
  if (depth != 0) throw InputError("{}: {} \")\" missing at the end of the tree", where, depth);
}

}  // namespace

bool looks_like_sst(std::string_view line) {
  line = trim(line);
  return line.size() >= 4 && line[0] == '(' && is_digit(line[1]) && line[2] == ' ';
}

RawExample parse_sst_tree(std::string_view line, const std::string& where) {
  line = trim(line);
  RawExample example;
  walk_tree(line, where, [&](char, const std::string& word) {
    append_word(example.text, example.tokens, word);
  });
  example.label = std::string(1, line[1]);
  example.label_is_number = true;
  return example;
}

std::vector<int> sst_word_labels(std::string_view line, const std::string& where) {
  std::vector<int> out;
  walk_tree(trim(line), where, [&](char label, const std::string&) { out.push_back(label - '0'); });
  return out;
}

std::unique_ptr<ExampleReader> open_sst(LineReader lines, const Columns&, bool) {
  return std::make_unique<RecordReader<decltype(&parse_sst_tree)>>(std::move(lines),
                                                                   &parse_sst_tree);
}

}  // namespace hardkuma
