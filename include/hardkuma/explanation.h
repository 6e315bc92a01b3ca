#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hardkuma/token.h"

namespace hardkuma {

/// A text, its words with their gates, and the selected words.
struct ExplainedText {
  struct Word {
    Token token;
    float z = 0.0f;  ///< in a pair: the largest z of the word's links
    float p_zero = 0.0f;
    float p_one = 0.0f;
    bool gold = false;
    bool unknown = false;  ///< not in the model's vocabulary
  };
  std::string text;
  std::vector<Word> words;
  std::vector<Token> rationale;  ///< maximal runs of selected words
};

/// The second text of a pair, and the cells between the words, row-major. The first row is NULL,
/// then one row per word of the first text; the columns are NULL and the words of the second text.
/// The cells are empty if the model has no links.
struct Alignment {
  ExplainedText second;
  std::vector<float> z;
  std::vector<float> p_zero;
  std::vector<float> p_one;
};

/// One explained text, or pair of texts: the prediction and the words it was made from.
struct Explanation : ExplainedText {
  std::string id;
  std::string aspect;     ///< which aspect of the text is judged; "" if the model has none
  std::string label;      ///< the likeliest class; "" for regression, and where the model abstains
  std::string abstained;  ///< why there is no answer; "" if there is one
  double value = 0.0;     ///< regression: the predicted value, or the mean of several
  std::vector<std::pair<std::string, double>> values;  ///< regression: several values, by name
  std::vector<std::pair<std::string, double>>
      scores;             ///< class probabilities; empty for regression
  double selected = 0.0;  ///< selected share of the words, or of the cells between a pair's words
  std::optional<double> expected;      ///< models with gates: the mean of P(z ≠ 0)
  std::optional<double> argmax;        ///< share with argmax not 0, before threshold and budget
  std::optional<Alignment> alignment;  ///< of a pair
};

/// The explanation as one line of JSON; offsets count Unicode code points of the given text.
std::string to_json_line(const Explanation& explanation);

/// "good (97%)" or "0.62", prefixed with the aspect and a colon if there is an aspect.
std::string prediction_text(const Explanation& explanation);

/// The text with selected words marked: coloured, or in [brackets].
std::string highlighted(const ExplainedText& explanation, bool colour);

}  // namespace hardkuma
