#include "hardkuma/eval/class_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hardkuma/common/text.h"
#include "hardkuma/eval/evaluation.h"

namespace hardkuma {
namespace {

constexpr size_t kNamed = 5;           // classes in a warning
constexpr int64_t kEnoughToJudge = 5;  // texts of a class
constexpr int64_t kEnoughForCode = 10;
constexpr double kFarLess = 0.5;
constexpr size_t kBins = 10;

const ClassScores* most_frequent(const Evaluation& e) {
  const auto found = std::max_element(
      e.by_class.begin(), e.by_class.end(),
      [](const ClassScores& a, const ClassScores& b) { return a.support < b.support; });
  return found == e.by_class.end() ? nullptr : &*found;
}

}  // namespace

double ClassScores::precision() const {
  return ratio(correct, predicted);
}

double ClassScores::recall() const {
  return ratio(correct, support);
}

double ClassScores::f1() const {
  return ratio(2 * correct, predicted + support);
}

double Evaluation::macro_f1() const {
  double sum = 0.0;
  int64_t count = 0;
  for (const ClassScores& one : by_class) {
    if (one.support + one.predicted == 0) continue;
    sum += one.f1();
    ++count;
  }
  return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

double Evaluation::calibration_error() const {
  double sum = 0.0;
  for (const ConfidenceBin& bin : by_confidence) {
    sum += std::abs(bin.confidence * static_cast<double>(bin.examples) -
                    static_cast<double>(bin.correct));
  }
  return examples == 0 ? 0.0 : sum / static_cast<double>(examples);
}

double Evaluation::majority() const {
  const ClassScores* const found = most_frequent(*this);
  return found == nullptr ? 0.0 : ratio(found->support, examples);
}

std::string majority_class(const Evaluation& e) {
  const ClassScores* const found = most_frequent(e);
  return found == nullptr ? "" : found->label;
}

double roc_auc(const std::vector<float>& scores, const std::vector<bool>& positive) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] < scores[b]; });
  double below = 0.0;  // pairs of a positive and a negative example in the right order
  int64_t negatives = 0;
  int64_t positives = 0;
  for (size_t from = 0; from < order.size();) {
    size_t to = from;
    int64_t tied_positives = 0;
    int64_t tied_negatives = 0;
    for (; to < order.size() && scores[order[to]] == scores[order[from]]; ++to) {
      ++(positive[order[to]] ? tied_positives : tied_negatives);
    }
    below += static_cast<double>(tied_positives) *
             (static_cast<double>(negatives) + 0.5 * static_cast<double>(tied_negatives));
    positives += tied_positives;
    negatives += tied_negatives;
    from = to;
  }
  if (positives == 0 || negatives == 0) return -1.0;
  return below / (static_cast<double>(positives) * static_cast<double>(negatives));
}

void score_classes(const std::vector<Example>& set,
                   const std::vector<ExamplePrediction>& predictions, const TaskInfo& task,
                   Evaluation& e) {
  const size_t classes = task.labels.size();
  e.by_class.assign(classes, {});
  e.confusion.assign(classes, std::vector<int64_t>(classes, 0));
  e.by_confidence.assign(kBins, {});
  std::vector<int64_t> units(classes, 0);
  std::vector<int64_t> selected(classes, 0);
  std::vector<float> scores;
  std::vector<bool> positive;
  for (size_t i = 0; i < set.size(); ++i) {
    const auto given = static_cast<size_t>(set[i].target);
    const auto predicted = static_cast<size_t>(predictions[i].best());
    ++e.confusion[given][predicted];
    ++e.by_class[given].support;
    ++e.by_class[predicted].predicted;
    if (given == predicted) ++e.by_class[given].correct;
    units[predicted] += set[i].units();
    selected[predicted] += predictions[i].selected();
    const double confidence = predictions[i].scores[predicted];
    ConfidenceBin& bin =
        e.by_confidence[std::min(kBins - 1, static_cast<size_t>(confidence * kBins))];
    ++bin.examples;
    bin.correct += given == predicted ? 1 : 0;
    bin.confidence += confidence;
    if (classes != 2) continue;
    scores.push_back(predictions[i].scores[1]);
    positive.push_back(given == 1);
  }
  for (ConfidenceBin& bin : e.by_confidence) {
    if (bin.examples > 0) bin.confidence /= static_cast<double>(bin.examples);
  }
  for (size_t k = 0; k < classes; ++k) {
    e.by_class[k].label = task.labels[k];
    e.by_class[k].selected = ratio(selected[k], units[k]);
  }
  e.auc = roc_auc(scores, positive);
}

std::vector<std::string> class_warnings(const Evaluation& e) {
  std::vector<std::string> out;
  if (e.by_class.empty()) return out;
  if (e.metric <= e.majority()) {
    out.push_back(fmt::format("accuracy {:.1f}% is no better than always answering {} ({:.1f}%)",
                              100.0 * e.metric, printable(majority_class(e)),
                              100.0 * e.majority()));
  }
  std::string names;
  size_t missed = 0;
  for (const ClassScores& one : e.by_class) {
    if (one.correct > 0 || one.support < kEnoughToJudge) continue;
    if (missed++ < kNamed) names += (names.empty() ? "" : ", ") + printable(one.label);
  }
  if (missed > 0) {
    out.push_back(fmt::format("no text of {} is recognised: {}{}",
                              missed == 1 ? "this class" : "these classes", names,
                              missed > kNamed ? fmt::format(" and {} more", missed - kNamed) : ""));
  }
  if (e.without_evidence > 0 && !e.pairs) {
    out.push_back(
        fmt::format("{} of {} texts are answered without a word shown; set model.floor=0.5",
                    with_commas(e.without_evidence), with_commas(e.examples)));
  }
  for (const ClassScores& one : e.by_class) {
    if (one.predicted < kEnoughForCode || one.selected >= kFarLess * e.selected_micro) continue;
    out.push_back(fmt::format(
        "texts predicted as {} show {:.1f}% of their words, all texts {:.1f}%: that little is "
        "shown may itself be what tells this class; compare with the full text",
        printable(one.label), 100.0 * one.selected, 100.0 * e.selected_micro));
  }
  return out;
}

}  // namespace hardkuma
