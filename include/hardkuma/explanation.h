#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hardkuma/token.h"

namespace hardkuma {

/// A text and the words of it that decided.
struct ExplainedText {
  struct Word {
    Token token;
    float z = 0.0f;  ///< of a word of a pair: the largest of its links
    float p_zero = 0.0f;
    float p_one = 0.0f;
    bool gold = false;
  };
  std::string text;
  std::vector<Word> words;
  std::vector<Token> rationale;  ///< maximal runs of selected words
};

/// The second text of a pair, and the cells between the words: row-major, a row for each word of
/// the first text after one for NULL, a column for each of the second, likewise. Empty where the
/// model has no links.
struct Alignment {
  ExplainedText second;
  std::vector<float> z;
  std::vector<float> p_zero;
  std::vector<float> p_one;
};

/// One explained text, or pair of texts: the prediction and the words it was made from.
struct Explanation : ExplainedText {
  std::string id;
  std::string aspect;  ///< what of the text is judged; "" where the model does not say
  std::string label;   ///< the likeliest class; "" for regression
  double value = 0.0;  ///< regression: the predicted value, the mean of several
  std::vector<std::pair<std::string, double>> values;  ///< regression on several, by name
  std::vector<std::pair<std::string, double>>
      scores;             ///< class probabilities; empty for regression
  double selected = 0.0;  ///< share of the words, or of the cells between the words of a pair
  std::optional<double> expected;      ///< of gates: the mean of P(z ≠ 0)
  std::optional<double> argmax;        ///< and those likeliest not 0, before threshold and budget
  std::optional<Alignment> alignment;  ///< of a pair
};

/// As one line of JSON; offsets are in Unicode code points of the text as given.
std::string to_json_line(const Explanation& explanation);

/// "good 97%", or "0.62"; after the aspect and a colon where there is one.
std::string prediction_text(const Explanation& explanation);

/// The text with selected words marked: coloured, or in [brackets].
std::string highlighted(const ExplainedText& explanation, bool colour);

}  // namespace hardkuma
