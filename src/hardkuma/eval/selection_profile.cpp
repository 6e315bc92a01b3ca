#include "hardkuma/eval/selection_profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

constexpr size_t kTenths = 10;
constexpr size_t kLongest = 3;

struct Tally {
  double selected = 0.0;
  double all = 0.0;

  void add(bool yes) {
    all += 1.0;
    if (yes) selected += 1.0;
  }
  double value() const { return all > 0.0 ? selected / all : NAN; }
};

// Assigns a prediction to a list of phrases: by class, or by side of the median.
class Sides {
 public:
  Sides(const std::vector<ExamplePrediction>& predictions, const TaskInfo& task) : task_(task) {
    if (!task.regression) {
      names_ = task.labels;
      return;
    }
    names_ = {"below the middle", "above the middle"};
    if (!task.labels.empty()) {
      for (std::string& name : names_) name = task.labels[0] + " " + name;
    }
    std::vector<double> values;
    for (const ExamplePrediction& p : predictions) values.push_back(p.value(task));
    if (values.empty()) return;
    const auto middle = values.begin() + static_cast<long>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    middle_ = *middle;
  }

  size_t of(const ExamplePrediction& prediction) const {
    if (!task_.regression) return static_cast<size_t>(prediction.best());
    return prediction.value(task_) < middle_ ? 0 : 1;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  const TaskInfo& task_;
  std::vector<std::string> names_;
  double middle_ = 0.0;
};

std::vector<std::string> lower_words(const Example& example) {
  std::vector<std::string> out;
  for (const Token& token : example.tokens) out.push_back(lower_case(token.in(example.text)));
  return out;
}

using Counts = std::unordered_map<std::string, std::vector<int64_t>>;

// Counts runs of up to three selected words, each phrase once per text.
void count_phrases(const std::vector<std::string>& words, const ExamplePrediction& prediction,
                   size_t side, size_t sides, Counts& counts) {
  std::map<std::string, bool> here;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string phrase;
    bool says = false;
    for (size_t k = i; k < std::min(words.size(), i + kLongest) && prediction.z[k] > 0.0f; ++k) {
      phrase += (phrase.empty() ? "" : " ") + words[k];
      if (k == i && is_punctuation(words[k])) break;
      says = !is_punctuation(words[k]);
      if (says) here[phrase] = true;
    }
  }
  for (const auto& [phrase, yes] : here) {
    std::vector<int64_t>& of = counts[phrase];
    of.resize(sides, 0);
    ++of[side];
  }
}

// Phrases in more texts of this side than the share of the other sides predicts, sorted by the
// excess. `texts` are the number of texts of each side.
std::vector<SelectionProfile::Phrase> top_phrases(const Counts& counts,
                                                  const std::vector<int64_t>& texts, size_t side,
                                                  size_t most) {
  const auto here = static_cast<double>(texts[side]);
  double others = -here;
  for (const int64_t n : texts) others += static_cast<double>(n);
  const auto score = [&](const SelectionProfile::Phrase& p) {
    const double share = others > 0.0 ? static_cast<double>(p.elsewhere) / others : 0.0;
    return static_cast<double>(p.selected) - here * share;
  };
  std::vector<SelectionProfile::Phrase> out;
  for (const auto& [phrase, of] : counts) {
    int64_t all = 0;
    for (const int64_t n : of) all += n;
    const SelectionProfile::Phrase found{phrase, of[side], all - of[side]};
    if (found.selected >= 2 && score(found) > 0.0) out.push_back(found);
  }
  std::sort(out.begin(), out.end(), [&](const auto& a, const auto& b) {
    return std::pair(-score(a), a.text) < std::pair(-score(b), b.text);
  });
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace

WordCounts word_counts(const std::vector<Example>& set) {
  WordCounts out;
  for (const Example& example : set) {
    for (const std::string& word : lower_words(example)) ++out[word];
  }
  return out;
}

SelectionProfile selection_profile(const std::vector<Example>& set,
                                   const std::vector<ExamplePrediction>& predictions,
                                   const TaskInfo& task, const WordCounts& seen,
                                   size_t most_phrases) {
  const Sides sides(predictions, task);
  Counts counts;
  std::vector<int64_t> texts(sides.names().size(), 0);
  std::vector<Tally> tenths(kTenths);
  Tally first;
  Tally last;
  // For words seen never, 1 to 9 times, 10 to 99 times, …
  std::vector<Tally> frequencies;
  for (size_t e = 0; e < set.size(); ++e) {
    const Example& example = set[e];
    const ExamplePrediction& prediction = predictions[e];
    const std::vector<std::string> words = lower_words(example);
    const size_t side = sides.of(prediction);
    ++texts[side];
    count_phrases(words, prediction, side, sides.names().size(), counts);
    const size_t length = words.size();
    for (size_t i = 0; i < length; ++i) {
      const bool yes = prediction.z[i] > 0.0f;
      tenths[i * kTenths / length].add(yes);
      if (i == 0) first.add(yes);
      if (i + 1 == length) last.add(yes);
      const auto found = seen.find(words[i]);
      const int64_t count = found == seen.end() ? 0 : found->second;
      const size_t place = count == 0 ? 0 : std::to_string(count).size();
      if (place >= frequencies.size()) frequencies.resize(place + 1);
      frequencies[place].add(yes);
    }
  }
  SelectionProfile out;
  for (size_t s = 0; s < sides.names().size(); ++s) {
    out.phrases.emplace_back(sides.names()[s], top_phrases(counts, texts, s, most_phrases));
  }
  for (const Tally& share : tenths) out.by_position.push_back(share.value());
  out.first_word = first.value();
  out.last_word = last.value();
  int64_t from = 1;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    const std::string name = i == 0 ? "never" : with_commas(from) + "+";
    if (i > 0) from *= 10;
    if (frequencies[i].all > 0.0) out.by_frequency.emplace_back(name, frequencies[i].value());
  }
  return out;
}

}  // namespace hardkuma
