#include "hardkuma/report/training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hardkuma/eval/class_scores.h"
#include "hardkuma/report/escape.h"
#include "hardkuma/report/page.h"

namespace hardkuma {
namespace {

std::string truth_of(const Example& example, const TaskInfo& task) {
  if (!task.regression) return task.labels[static_cast<size_t>(example.target)];
  std::string out;
  for (size_t k = 0; k < static_cast<size_t>(task.outputs()); ++k) {
    out += fmt::format("{}{:.2f}", k == 0 ? "" : " / ",
                       task.low + (task.high - task.low) * example.value(k));
  }
  return out;
}

// Values of the traced steps, with x in epochs.
Series by_step(const std::string& name, const std::vector<EpochReport>& epochs,
               double (*value)(const TracedStep&)) {
  Series out{name, {}, {}};
  for (const EpochReport& report : epochs) {
    const double per_epoch =
        static_cast<double>(report.steps) / static_cast<double>(std::max<int64_t>(1, report.epoch));
    for (const TracedStep& step : report.trace) {
      out.x.push_back(static_cast<double>(step.step + 1) / per_epoch);
      out.y.push_back(value(step));
    }
  }
  return out;
}

std::string curves(const TrainingReport& report) {
  const std::vector<EpochReport>& epochs = report.epochs;
  const bool gated = epochs.back().dev.gated;
  std::string out = "<h2>Training curves</h2>\n<div class=\"charts\">\n";
  LineChart loss{"Loss", {"epoch"}, {"task loss", false, true}, {}};
  loss.series = {by_epoch("train", epochs, [](const EpochReport& r) { return r.train_loss; }),
                 by_epoch("dev", epochs, [](const EpochReport& r) { return r.dev.task_loss; })};
  out += page_chart(line_chart(loss));
  if (gated) {
    LineChart rate{"Words shown", {"epoch"}, {"of the words", true, true}, {}};
    if (reads_pairs(report.config)) rate.y.label = "of the cells";
    const bool of_texts = report.config.objective.share == Share::OfTexts;
    rate.series = {by_epoch(
                       "selected, dev", epochs,
                       of_texts ? [](const EpochReport& r) { return r.dev.selected_macro; }
                                : [](const EpochReport& r) { return r.dev.selected_micro; }),
                   by_step("expected, train", epochs, [](const TracedStep& s) { return s.rate; }),
                   by_step("goal", epochs, [](const TracedStep& s) { return s.goal; })};
    rate.series.back().quiet = true;
    const double target = report.config.objective.target;
    rate.levels = {{"target", target, target}};
    out += page_chart(line_chart(rate));
    LineChart weight{"Rate multiplier λ", {"epoch"}, {"λ"}, {}};
    weight.series = {by_step("", epochs, [](const TracedStep& s) { return s.lambda; })};
    if (!weight.series[0].x.empty()) out += page_chart(line_chart(weight));
  }
  return out + "</div>\n";
}

std::string phrase_lists(const SelectionProfile& profile) {
  std::string out = "<h2>Most selected phrases</h2>\n<div class=\"columns\">\n";
  for (const auto& [name, phrases] : profile.phrases) {
    out += fmt::format("<section><h3>{}</h3>\n<ol>\n", html_escape(name));
    for (const auto& phrase : phrases) {
      out += fmt::format(
          "<li><mark>{}</mark> <span class=\"key\">in {} texts, elsewhere {}</span></li>\n",
          html_escape(phrase.text), phrase.selected, phrase.elsewhere);
    }
    if (phrases.empty()) out += "<li class=\"key\">no phrase twice</li>\n";
    out += "</ol></section>\n";
  }
  return out + "</div>\n";
}

std::string profile_charts(const SelectionProfile& profile) {
  const auto shares = [](const std::string& title) {
    BarChart chart;
    chart.title = title;
    chart.y.label = "selected";
    chart.y.percent = true;
    chart.series = {""};
    chart.values.resize(1);
    return chart;
  };
  BarChart position = shares("Selection by position");
  const auto add_place = [&](const std::string& name, double share) {
    position.groups.push_back(name);
    position.values[0].push_back(share);
  };
  add_place("first", profile.first_word);
  for (size_t i = 0; i < profile.by_position.size(); ++i) {
    add_place(fmt::format("{}", i + 1), profile.by_position[i]);
  }
  add_place("last", profile.last_word);
  BarChart frequency = shares("Selection by word frequency");
  for (const auto& [name, share] : profile.by_frequency) {
    frequency.groups.push_back(name);
    frequency.values[0].push_back(share);
  }
  return "<div class=\"charts\">\n" + page_chart(bar_chart(position)) +
         page_chart(bar_chart(frequency)) +
         "</div>\n<p class=\"key\">left: the first word, each tenth of a text, the last word · "
         "right: by how often the word stands in the training texts</p>\n";
}

std::string settings_table(const Config& config) {
  Config copy = config;
  Config plain;
  const std::vector<Setting> here = settings(copy);
  const std::vector<Setting> defaults = settings(plain);
  std::string changed;
  std::string all;
  for (size_t i = 0; i < here.size(); ++i) {
    const std::string value = setting_text(here[i]);
    const std::string row =
        fmt::format("<tr><td>{}</td><td><code>{}</code></td><td class=\"key\">{}</td></tr>\n",
                    here[i].name, html_escape(value), html_escape(here[i].help));
    (value == setting_text(defaults[i]) ? all : changed) += row;
  }
  const auto table = [](const std::string& rows) {
    return "<div class=\"scroll\"><table class=\"settings\">" + rows + "</table></div>\n";
  };
  return "<h2>Settings</h2>\n" + table(changed) +
         "<details><summary class=\"key\">settings at their defaults</summary>\n" + table(all) +
         "</details>\n";
}

std::string cards(const std::string& title, const std::vector<ReportedExample>& examples) {
  if (examples.empty()) return "";
  std::string out = "<h3>" + title + "</h3>\n";
  for (const ReportedExample& example : examples) {
    out += page_card(example.explanation, "labelled " + example.truth);
  }
  return out;
}

}  // namespace

Series by_epoch(const std::string& name, const std::vector<EpochReport>& epochs,
                double (*value)(const EpochReport&)) {
  Series out{name, {}, {}};
  for (const EpochReport& report : epochs) {
    out.x.push_back(static_cast<double>(report.epoch));
    out.y.push_back(value(report));
  }
  return out;
}

void choose_examples(const std::vector<Example>& set,
                     const std::vector<ExamplePrediction>& predictions, size_t each,
                     TrainingReport& report) {
  const Config& config = report.config;
  const TaskInfo& task = config.task;
  std::vector<size_t> right;
  std::vector<size_t> wrong;
  if (task.regression) {
    std::vector<size_t> order(set.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return example_metric(set[a], predictions[a], task) <
             example_metric(set[b], predictions[b], task);
    });
    const auto half = static_cast<long>(order.size() / 2);
    right.assign(order.begin(), order.begin() + half);
    std::sort(right.begin(), right.end());
    wrong.assign(order.rbegin(), order.rend() - half);
  } else {
    for (size_t i = 0; i < set.size(); ++i) {
      const bool yes = predictions[i].best() == static_cast<int64_t>(set[i].target);
      (yes ? right : wrong).push_back(i);
    }
  }
  const auto take = [&](const std::vector<size_t>& from, std::vector<ReportedExample>& to) {
    to.clear();
    for (size_t k = 0; k < std::min(each, from.size()); ++k) {
      const size_t i = from[k];
      to.push_back(
          {explain(set[i], predictions[i], task, selects_words(config)), truth_of(set[i], task)});
      to.back().explanation.aspect = config.data.aspect;
    }
  };
  take(right, report.right);
  take(wrong, report.wrong);
}

namespace {

// Of the last split: how often predictions of each confidence are right, and how accuracy rises if
// uncertain texts are left unanswered.
std::string confidence_charts(const TrainingReport& report) {
  if (report.results.empty() || report.results.back().evaluation.by_confidence.empty()) return "";
  const Evaluation& e = report.results.back().evaluation;
  BarChart reliability;
  reliability.title = "Confidence and accuracy";
  reliability.y.percent = true;
  reliability.series = {"mean confidence", "accuracy"};
  reliability.values.resize(2);
  for (size_t k = 0; k < e.by_confidence.size(); ++k) {
    const ConfidenceBin& bin = e.by_confidence[k];
    if (bin.examples == 0) continue;
    reliability.groups.push_back(fmt::format("{}%", 100 * (k + 1) / e.by_confidence.size()));
    reliability.values[0].push_back(bin.confidence);
    reliability.values[1].push_back(ratio(bin.correct, bin.examples));
  }
  LineChart coverage{"Accuracy if uncertain texts are left out",
                     {"texts answered", true, true},
                     {"accuracy", true},
                     {{"", {}, {}}}};
  coverage.series[0].points = true;
  for (const auto& [share, accuracy] : report.coverage) {
    coverage.series[0].x.push_back(share);
    coverage.series[0].y.push_back(accuracy);
  }
  return fmt::format(
      "<h2>Confidence</h2>\n<div class=\"charts\">\n{}{}</div>\n<p class=\"key\">expected "
      "calibration error {} · left: predictions by confidence, up to the number below · right: "
      "explain --min-confidence leaves texts unanswered</p>\n",
      page_chart(bar_chart(reliability)), page_chart(line_chart(coverage)),
      percent(e.calibration_error()));
}

// Of the last split: what is confused with what, unless there are too many classes to look at.
std::string class_tables(const std::vector<NamedEvaluation>& results) {
  constexpr size_t kReadable = 12;
  if (results.empty() || results.back().evaluation.by_class.empty()) return "";
  const auto& [name, e] = results.back();
  std::string out = fmt::format(
      "<h2>Classes</h2>\n<p class=\"key\">on {}; always answering {} would be right in {}</p>\n{}",
      name, html_escape(majority_class(e)), percent(e.majority()), html_table(class_rows(e)));
  if (e.by_class.size() <= kReadable) out += html_table(confusion_rows(e));
  return out;
}

}  // namespace

std::string training_page(const TrainingReport& report) {
  const Config& config = report.config;
  const bool selects = selects_words(config);
  const bool pairs = reads_pairs(config);
  std::string out = page_open(
      report.title, selects ? fmt::format("Trained to decide from {} of the {}.",
                                          percent(config.objective.target, 0),
                                          pairs ? "cells between the words of two texts" : "words")
                            : "Trained to read everything.");
  out += "<h2>Results</h2>\n" + html_table(evaluation_rows(report.results));
  out += class_tables(report.results);
  out += confidence_charts(report);
  if (!report.epochs.empty()) out += curves(report);
  if (!report.profile.phrases.empty()) {
    out += phrase_lists(report.profile) + profile_charts(report.profile);
  }
  out += fmt::format(
      "<h2>Examples</h2>\n<p class=\"key\">highlighted: {} · underlined: the annotated "
      "evidence, where there is any</p>\n",
      pairs ? "words that are linked" : "what the decision was made from");
  const bool regression = config.task.regression;
  out += cards(regression ? "Small errors" : "Correct predictions", report.right);
  out += cards(regression ? "Largest errors" : "Wrong predictions", report.wrong);
  out += settings_table(config);
  out += "<h2>Command</h2>\n<pre><code>" + html_escape(report.command) + "</code></pre>\n";
  return out + page_close();
}

std::vector<std::pair<double, double>> coverage(const std::vector<Example>& set,
                                                const std::vector<ExamplePrediction>& predictions) {
  constexpr size_t kPoints = 20;
  std::vector<std::pair<float, bool>> answers;  // confidence, and is it right?
  for (size_t i = 0; i < set.size(); ++i) {
    const auto best = static_cast<size_t>(predictions[i].best());
    answers.emplace_back(predictions[i].scores[best], best == static_cast<size_t>(set[i].target));
  }
  std::stable_sort(answers.begin(), answers.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::pair<double, double>> out;
  int64_t correct = 0;
  for (size_t i = 0; i < answers.size(); ++i) {
    correct += answers[i].second ? 1 : 0;
    const bool point = (i + 1) * kPoints / answers.size() > i * kPoints / answers.size();
    if (!point) continue;
    const auto answered = static_cast<int64_t>(i) + 1;
    out.emplace_back(ratio(answered, static_cast<int64_t>(answers.size())),
                     ratio(correct, answered));
  }
  return out;
}

std::map<std::string, std::string> run_reports(const FinishedRun& run) {
  constexpr size_t kShown = 10;  // examples, right and wrong
  TrainingReport report{
      run.name, run.manifest.command, run.config, run.splits, run.outcome.epochs, {}, {}, {}, {}};
  const std::vector<Example>& set = run.data.split(run.splits.back().name);
  choose_examples(set, run.predictions, kShown, report);
  if (!run.config.task.regression) report.coverage = coverage(set, run.predictions);
  if (selects_words(run.config) && !reads_pairs(run.config)) {
    report.profile = selection_profile(set, run.predictions, run.config.task,
                                       word_counts(run.data.split("train")));
  }
  return {{"report.html", training_page(report)}};
}

}  // namespace hardkuma
