#include "hardkuma/data/columns.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

const std::vector<std::string> kTextNames = {"text",    "sentence", "review",  "content",
                                             "comment", "body",     "document"};
const std::vector<std::string> kFirstNames = {"premise", "sentence1",  "text1", "question1",
                                              "text_a",  "sentence_a", "first"};
const std::vector<std::string> kSecondNames = {"hypothesis", "sentence2",  "text2", "question2",
                                               "text_b",     "sentence_b", "second"};
const std::vector<std::string> kLabelNames = {"label",  "gold_label", "class", "category",
                                              "target", "sentiment",  "score", "rating",
                                              "stars",  "y"};
const std::vector<std::string> kGoldNames = {"rationale", "gold", "spans", "evidence"};

// The column asked for, else the first usual name present; else throws InputError.
std::string choose(const std::string& asked, const std::vector<std::string>& usual,
                   const std::vector<std::string>& present, const std::string& option,
                   const std::string& where) {
  const auto has = [&](const std::string& name) {
    return std::find(present.begin(), present.end(), name) != present.end();
  };
  if (!asked.empty()) {
    if (has(asked)) return asked;
    throw InputError("{}: no column \"{}\"{}; there are: {}", where, asked,
                     did_you_mean(asked, present), fmt::join(present, ", "));
  }
  if (const std::string* found = usual_name(usual, present)) return *found;
  // There are two texts where the model reads one: suggest a model of pairs.
  const bool pair = usual == kTextNames && usual_name(kFirstNames, present) != nullptr &&
                    usual_name(kSecondNames, present) != nullptr;
  const std::string missing = usual == kFirstNames    ? "column for the first text of a pair"
                              : usual == kSecondNames ? "column for the second text of a pair"
                                                      : option + " column";
  throw InputError("{}: no {}; name it with --{}{} (there are: {})", where, missing, option,
                   pair ? "; models of pairs are trained with --preset snli" : "",
                   fmt::join(present, ", "));
}

}  // namespace

const std::string* usual_name(const std::vector<std::string>& usual,
                              const std::vector<std::string>& present) {
  for (const std::string& name : usual) {
    for (const std::string& column : present) {
      if (lower_case(column) == name) return &column;
    }
  }
  return nullptr;
}

void choose_texts(Columns& columns, const std::vector<std::string>& present,
                  const std::string& where) {
  const auto prefer = [&](std::string& column, const std::string& usual) {
    const bool there = std::find(present.begin(), present.end(), usual) != present.end();
    if (column.empty() && there) column = usual;
  };
  prefer(columns.text, columns.usual_text);
  prefer(columns.second, columns.usual_second);
  if (!columns.pair) {
    columns.text = choose(columns.text, kTextNames, present, "text", where);
    return;
  }
  columns.text = choose(columns.text, kFirstNames, present, "text", where);
  columns.second = choose(columns.second, kSecondNames, present, "second", where);
  if (columns.text == columns.second) {
    throw InputError(
        "{}: column \"{}\" is to be both texts of a pair; name two with --text and "
        "--second",
        where, columns.text);
  }
}

void choose_label(Columns& columns, const std::vector<std::string>& present,
                  const std::string& where) {
  columns.label = choose(columns.label, kLabelNames, present, "label", where);
}

void choose_gold(Columns& columns, const std::vector<std::string>& present,
                 const std::string& where) {
  if (!columns.gold.empty()) choose(columns.gold, {}, present, "gold", where);
  std::vector<std::string> names = {columns.label + "_spans"};
  names.insert(names.end(), kGoldNames.begin(), kGoldNames.end());
  for (const std::string& name : names) {
    const bool there = std::find(present.begin(), present.end(), name) != present.end();
    if (columns.gold.empty() && there) columns.gold = name;
  }
}

}  // namespace hardkuma
