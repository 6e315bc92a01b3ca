#include "hardkuma/data/labels.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

constexpr size_t kMostClassesFromNumbers = 20;
constexpr size_t kFewClasses = 50;  // more need two examples each on average

double number_of(const RawExample& example, const std::string& path) {
  double value = 0.0;
  if (!parse_number(example.label, value)) {
    throw InputError("{}:{}: label \"{}\" is not a number", path, example.line,
                     quotable(example.label));
  }
  return value;
}

using Splits = std::vector<const RawSplit*>;

// If this share of labels are numbers to regress on, another label is an error, not a class.
constexpr double kMostlyNumbers = 0.8;

bool looks_like_regression(const Splits& splits) {
  std::set<double> values;
  bool whole = true;
  int64_t numbers = 0;
  int64_t others = 0;
  const RawExample* odd = nullptr;
  std::string odd_path;
  for (const RawSplit* split : splits) {
    for (const RawExample& example : split->examples) {
      if (!example.label_is_number) {
        if (odd == nullptr) {
          odd = &example;
          odd_path = split->path;
        }
        ++others;
        continue;
      }
      ++numbers;
      const double value = number_of(example, split->path);
      whole = whole && value == std::floor(value);
      values.insert(value);
    }
  }
  const bool continuous = !whole || values.size() > kMostClassesFromNumbers;
  if (odd == nullptr || !continuous) return continuous && odd == nullptr;
  if (static_cast<double>(numbers) < kMostlyNumbers * static_cast<double>(numbers + others))
    return false;
  throw InputError(
      "{}:{}: label \"{}\" is not a number, but {} others are; correct it, or say --task "
      "classification",
      odd_path, odd->line, quotable(odd->label), numbers);
}

TaskInfo regression_task(const Splits& splits) {
  TaskInfo task;
  task.regression = true;
  double low = INFINITY;
  double high = -INFINITY;
  for (const RawSplit* split : splits) {
    for (const RawExample& example : split->examples) {
      const double value = number_of(example, split->path);
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low == high) {
    throw InputError("{}: every label is {}; there is nothing to learn", splits[0]->path, low);
  }
  // Scores that live in [0, 1] keep their scale.
  if (low >= 0.0 && high <= 1.0) return task;
  task.low = low;
  task.high = high;
  return task;
}

// Numbers in numeric order, names in alphabetical order.
void sort_labels(std::vector<std::string>& labels) {
  std::sort(labels.begin(), labels.end());
  double value = 0.0;
  const bool numbers = std::all_of(labels.begin(), labels.end(),
                                   [&](const std::string& s) { return parse_number(s, value); });
  if (!numbers) return;
  std::stable_sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
    double x = 0.0;
    double y = 0.0;
    parse_number(a, x);
    parse_number(b, y);
    return x < y;
  });
}

}  // namespace

TaskInfo find_task(const std::vector<const RawSplit*>& splits, TaskChoice task) {
  if (!splits.at(0)->value_names.empty()) {
    if (task == TaskChoice::Classification) {
      throw InputError("{}: several scores a text can only be regressed on", splits[0]->path);
    }
    return {true, splits[0]->value_names, 0.0, 1.0};
  }
  if (task == TaskChoice::Regression ||
      (task == TaskChoice::Auto && looks_like_regression(splits))) {
    return regression_task(splits);
  }
  const RawSplit& train = *splits.at(0);
  std::set<std::string> names;
  for (const RawSplit* split : splits) {
    for (const RawExample& example : split->examples) names.insert(example.label);
  }
  TaskInfo info;
  info.labels.assign(names.begin(), names.end());
  sort_labels(info.labels);
  if (info.labels.size() == 1) {
    throw InputError("{}: every label is \"{}\"; a classifier needs at least two classes",
                     train.path, quotable(info.labels[0]));
  }
  if (info.labels.size() > kFewClasses && info.labels.size() * 2 > train.examples.size()) {
    throw InputError(
        "{}: {} different labels in {} examples, the first \"{}\"; is this the label column? Name "
        "it "
        "with --label",
        train.path, info.labels.size(), train.examples.size(),
        quotable(train.examples.at(0).label));
  }
  return info;
}

double target_of(const RawExample& example, const TaskInfo& task, const std::string& path) {
  if (task.regression) {
    return (number_of(example, path) - task.low) / (task.high - task.low);
  }
  const auto found = std::find(task.labels.begin(), task.labels.end(), example.label);
  if (found == task.labels.end()) {
    std::vector<std::string> some(
        task.labels.begin(),
        task.labels.begin() + static_cast<long>(std::min<size_t>(10, task.labels.size())));
    throw InputError("{}:{}: label \"{}\" does not occur in training (there: {}{})", path,
                     example.line, quotable(example.label), fmt::join(some, ", "),
                     task.labels.size() > some.size() ? ", …" : "");
  }
  return static_cast<double>(found - task.labels.begin());
}

}  // namespace hardkuma
