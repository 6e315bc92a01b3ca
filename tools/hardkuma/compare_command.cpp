#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "commands.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/json.h"
#include "hardkuma/data/make_example.h"
#include "hardkuma/eval/comparison.h"
#include "hardkuma/eval/evaluation_fields.h"
#include "hardkuma/model/data_options.h"
#include "hardkuma/report/explainer.h"
#include "hardkuma/report/page.h"
#include "hardkuma/report/table.h"
#include "hardkuma/report/training_report.h"
#include "hardkuma/train/epoch_report.h"
#include "hardkuma/train/manifest.h"
#include "hardkuma/train/measured_split.h"
#include "machine_options.h"
#include "message.h"
#include "output.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kPairedResamples = 2000;

struct CompareArguments {
  std::vector<std::string> runs;
  std::string data;
  std::string split;
  std::string html;
  std::string svg;
  std::string json;
  int64_t workers = 0;
  bool verbose = false;
  std::string device = "auto";
};

struct MeasuredRun {
  std::string name;
  std::string split;
  Config config;
  std::vector<EpochReport> epochs;
  Evaluation evaluation;
  std::vector<std::string> asked;  // texts, labels, gold; must be equal for all runs
  Ratio metric;
  Ratio precision;  // of the examples with gold
  std::vector<ExamplePrediction> predictions;
};

MeasuredRun measure(const CompareArguments& args, const std::string& run) {
  Explainer explainer(run, args.workers, args.device);
  MeasuredRun out;
  out.name = fs::path(run).lexically_normal().string();
  out.config = explainer.model().config;
  out.epochs = read_metrics(run);
  const std::string data =
      args.data.empty() ? read_manifest(run).value_or(Manifest{}).data : args.data;
  if (data.empty() || (args.data.empty() && !fs::exists(data))) {
    throw InputError("{}: what it was trained on ({}) is not here; give --data", run,
                     data.empty() ? "it does not say" : data);
  }
  // A run on a single file, which it split itself, is measured on its test split.
  const bool whole = !args.data.empty() || fs::is_directory(data);
  const std::string split = args.split.empty() && !whole ? "test" : args.split;
  MeasuredSplit measured = choose_split(data, split, run, data_options(out.config));
  if (!measured.warning.empty()) message("warning: {}\n", measured.warning);
  out.split = measured.name;
  const TaskInfo& task = out.config.task;
  const std::vector<Example> set =
      make_examples(std::move(measured.records), task, explainer.model().vocabulary);
  out.predictions = explainer.predict(set);
  const std::vector<ExamplePrediction>& predictions = out.predictions;
  out.evaluation = summarise(set, predictions, task, kPairedResamples);
  for (size_t i = 0; i < set.size(); ++i) {
    std::string asked = set[i].text + "\n" + set[i].second.text;
    for (size_t k = 0; k < std::max<size_t>(1, set[i].targets.size()); ++k) {
      asked += task.regression ? fmt::format("\n{}", set[i].value(k))
                               : "\n" + task.labels[static_cast<size_t>(set[i].target)];
    }
    for (const Words* words : {static_cast<const Words*>(&set[i]), &set[i].second}) {
      asked.append(words->gold.begin(), words->gold.end());
    }
    out.asked.push_back(std::move(asked));
    out.metric.numerators.push_back(example_metric(set[i], predictions[i], task));
    out.metric.denominators.push_back(1.0);
    const RationaleScores scores =
        set[i].has_gold ? rationale_scores(set[i], predictions[i]) : RationaleScores{};
    out.precision.numerators.push_back(static_cast<double>(scores.hits));
    out.precision.denominators.push_back(static_cast<double>(scores.selected));
  }
  return out;
}

std::string difference_text(const Difference& d, bool regression) {
  const auto text = [&](double value) {
    return regression ? fmt::format("{:+.3g}", value) : fmt::format("{:+.1f}", 100.0 * value);
  };
  return fmt::format("{} [{}, {}]{}", text(d.value), text(d.low), text(d.high),
                     d.certain() ? " *" : "");
}

nlohmann::ordered_json difference_json(const Difference& d) {
  return {{"difference", d.value}, {"low", d.low}, {"high", d.high}};
}

// One series per run, of a value after each epoch.
LineChart curves(const std::vector<MeasuredRun>& runs, const std::string& title, Axis y,
                 double (*value)(const EpochReport&)) {
  LineChart chart{title, {"epoch"}, std::move(y), {}};
  for (const MeasuredRun& run : runs) {
    chart.series.push_back(by_epoch(run.name, run.epochs, value));
  }
  return chart;
}

// Do two runs select from the same units?
bool comparable(const MeasuredRun& a, const MeasuredRun& b) {
  if (!selects_words(a.config) || !selects_words(b.config)) return false;
  for (size_t i = 0; i < a.predictions.size(); ++i) {
    if (a.predictions[i].z.size() != b.predictions[i].z.size()) return false;
  }
  return true;
}

std::string units_of(const std::vector<MeasuredRun>& runs) {
  return runs[0].evaluation.pairs ? "of the cells" : "of the words";
}

// The gates' expected rate by step; runs of different lengths share the axis.
LineChart rates(const std::vector<MeasuredRun>& runs) {
  LineChart chart{"Expected rate in training", {"step"}, {units_of(runs), true, true}, {}};
  for (const MeasuredRun& run : runs) {
    Series series{run.name, {}, {}};
    for (const EpochReport& epoch : run.epochs) {
      for (const TracedStep& step : epoch.trace) {
        series.x.push_back(static_cast<double>(step.step));
        series.y.push_back(step.rate);
      }
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  std::set<double> targets;
  for (const MeasuredRun& run : runs) {
    if (has_gates(run.config)) targets.insert(run.config.objective.target);
  }
  for (const double target : targets) {
    chart.levels.push_back({chart.levels.empty() ? "target" : "", target, target});
  }
  return chart;
}

void run(const CompareArguments& args) {
  if (args.runs.size() < 2)
    throw UsageError("compare needs two runs or more; see hardkuma compare --help");
  for (const std::string& path : {args.html, args.json}) Output::check(path);
  if (!args.data.empty()) check_read_again(args.data, args.runs.size());
  std::vector<MeasuredRun> runs;
  for (const std::string& name : args.runs) {
    runs.push_back(measure(args, name));
    const MeasuredRun& last = runs.back();
    if (last.asked != runs[0].asked) {
      throw InputError(
          "{} and {}: not measured on the same texts, labels and annotations; give texts that are "
          "new to both as --data",
          runs[0].name, last.name);
    }
  }
  const bool regression = runs[0].evaluation.regression;
  const bool gold = runs[0].evaluation.rationale.examples > 0;
  std::vector<NamedEvaluation> measured;
  std::vector<std::vector<std::string>> rows = {
      {fmt::format("difference from {}", runs[0].name),
       regression ? "MSE [95%]" : "accuracy, points [95%]"}};
  if (gold) rows[0].push_back("precision, points [95%]");
  const bool overlaps = std::any_of(runs.begin() + 1, runs.end(), [&](const MeasuredRun& other) {
    return comparable(runs[0], other);
  });
  if (overlaps) rows[0].push_back("words in common (by chance)");
  nlohmann::ordered_json json = {{"split", runs[0].split},
                                 {"runs", nlohmann::ordered_json::array()}};
  for (size_t i = 0; i < runs.size(); ++i) {
    measured.push_back({runs[i].name, runs[i].evaluation});
    json["runs"].push_back({{"run", runs[i].name}});
    auto& entry = json["runs"].back();
    entry.update(to_json(runs[i].evaluation));
    if (i == 0) continue;
    const Difference metric =
        paired_difference(runs[0].metric, runs[i].metric, kPairedResamples, 1);
    rows.push_back({runs[i].name, difference_text(metric, regression)});
    entry["metric_difference"] = difference_json(metric);
    if (gold) {
      const Difference precision =
          paired_difference(runs[0].precision, runs[i].precision, kPairedResamples, 1);
      rows.back().push_back(difference_text(precision, false));
      entry["precision_difference"] = difference_json(precision);
    }
    if (!overlaps) continue;
    if (!comparable(runs[0], runs[i])) {
      rows.back().push_back("–");
      continue;
    }
    const Overlap overlap = selection_overlap(runs[0].predictions, runs[i].predictions);
    rows.back().push_back(
        fmt::format("{} ({})", percent(overlap.shared, 0), percent(overlap.chance, 0)));
    entry["overlap"] = {{"shared", overlap.shared}, {"chance", overlap.chance}};
  }
  const std::string note =
      "Paired bootstrap, 2,000 resamples; * marks intervals that exclude 0.\n"
      "Retraining with another seed may change this.";
  if (args.json != "-") {
    print("{}\n{}\n{}\n", evaluation_table(measured, args.verbose ? Detail::Full : Detail::Brief),
          text_table(rows), note);
  }
  const std::vector<std::pair<std::string, LineChart>> charts = {
      {"rate.svg", rates(runs)},
      {"selected.svg", curves(runs, "Words shown on dev", {units_of(runs), true, true},
                              [](const EpochReport& r) { return r.dev.selected_micro; })},
      {"loss.svg", curves(runs, "Task loss on dev", {"loss", false, true},
                          [](const EpochReport& r) { return r.dev.task_loss; })}};
  if (!args.svg.empty()) {
    fs::create_directories(args.svg);
    for (const auto& [name, chart] : charts)
      write_file(fs::path(args.svg) / name, line_chart(chart));
  }
  if (!args.html.empty()) {
    std::string page =
        page_open("Runs side by side", "Measured on the " + runs[0].split + " split.");
    page += "<h2>Results</h2>\n" + html_table(evaluation_rows(measured));
    page += "<h2>Differences</h2>\n" + html_table(rows) + "<p class=\"key\">" + note + "</p>\n";
    page += "<h2>Training curves</h2>\n<div class=\"charts\">\n";
    for (const auto& [name, chart] : charts) {
      page += page_chart(line_chart(chart));
    }
    Output::write_whole(args.html, page + "</div>\n" + page_close());
  }
  if (!args.json.empty()) Output::write_whole(args.json, readable_json(json));
}

}  // namespace

void add_compare(CLI::App& app, const CommandContext&) {
  auto args = std::make_shared<CompareArguments>();
  CLI::App* command =
      app.add_subcommand("compare", "compare runs on the same data, with intervals");
  command->add_option("RUNS", args->runs,
                      "directories that train wrote; the others are compared with the first");
  command->add_option(
      "--data", args->data,
      "what to measure them on (default: the test split of their own data, or dev)");
  command->add_option("--split,--part", args->split, "train, dev or test")
      ->check(CLI::IsMember({"train", "dev", "test"}));
  command->add_option("--html", args->html, "also write a page with learning curves");
  command->add_option("--svg", args->svg, "also write the curves, as SVG, into this directory");
  command->add_option(
      "--json", args->json,
      "also write the results as JSON to this file; -: to stdout, instead of the table");
  command->add_flag("--verbose", args->verbose,
                    "also the mean share over texts and what the gates expect to select");
  add_device_option(*command, args->device);
  add_workers_option(*command, args->workers);
  command->callback([args] { run(*args); });
}

}  // namespace hardkuma
