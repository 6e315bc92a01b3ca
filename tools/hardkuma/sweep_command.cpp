#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "commands.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/dataset.h"
#include "hardkuma/report/escape.h"
#include "hardkuma/report/page.h"
#include "hardkuma/report/table.h"
#include "machine_options.h"
#include "message.h"
#include "model_settings.h"
#include "signals.h"
#include "sweep.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

struct SweepArguments {
  std::string data;
  std::string out;
  std::string targets = "10,20,..,100%";
  std::string models;
  int64_t seeds = 3;
  bool warm_start = false;
  int64_t jobs = 0;
  std::string device = "auto";
  SettingFlags settings;
};

SweepPlan plan_of(const SweepArguments& args) {
  SweepPlan plan;
  plan.config = args.settings.config();
  plan.data = args.data;
  plan.out = args.out;
  plan.targets = parse_targets(args.targets);
  plan.models = args.models.empty() ? std::vector<std::string>{name_of(plan.config.model.kind)}
                                    : comma_separated(args.models);
  plan.seeds = args.seeds;
  plan.warm_start = args.warm_start;
  if (plan.seeds < 1) throw UsageError("--seeds {}: at least 1", plan.seeds);
  if (args.jobs < 0) throw UsageError("--jobs {}: 0 or more", args.jobs);
  for (const auto& [name, text] : args.settings.shorthands) {
    if (name == "objective.target") throw UsageError("sweep takes --targets, not --target");
    if (name == "model.kind" && !args.models.empty()) {
      throw UsageError("--model and --models exclude each other");
    }
  }
  if (std::set<std::string>(plan.models.begin(), plan.models.end()).size() < plan.models.size()) {
    throw UsageError("--models {}: one is named twice", args.models);
  }
  for (const std::string& model : plan.models) {
    Config config = plan.config;
    set_config(config, "model.kind", model, "--models");
    if (!selects_words(config)) {
      throw UsageError("--models {}: reads everything; there is no rate to sweep", model);
    }
  }
  return plan;
}

std::string measured_on(const std::vector<SweepPoint>& points) {
  return fmt::format("On the {} split, {} examples.", points[0].split,
                     with_commas(points[0].measured.examples));
}

// Writes the points as a page and as CSV, and the charts as files.
void write_reports(const SweepPlan& plan, const std::vector<SweepPoint>& points,
                   const std::string& command) {
  const std::string title =
      points[0].measured.regression ? "Error against words kept" : "Accuracy against words kept";
  std::vector<std::pair<std::string, std::string>> charts = {
      {"sweep.svg", line_chart(tradeoff_chart(points, title))}};
  if (has_gold(points)) {
    charts.emplace_back("precision.svg",
                        line_chart(precision_chart(points, "Precision of the selected words")));
  }
  std::string page =
      page_open(title, fs::path(plan.data).filename().string() + ". " + measured_on(points));
  page += "<div class=\"charts\">\n";
  for (const auto& [name, svg] : charts) {
    write_file(plan.out / name, svg);
    page += page_chart(svg);
  }
  page += "</div>\n" + html_table(sweep_rows(points));
  page +=
      "<p class=\"key\">Means over seeds; bands and intervals: 95% of the mean, by Student's "
      "t.</p>\n<h2>Command</h2>\n<pre>" +
      html_escape(command) + "</pre>\n" + page_close();
  write_file(plan.out / "sweep.csv", sweep_csv(points));
  write_file(plan.out / "sweep.html", page);
}

void run(const SweepArguments& args, const CommandContext& context) {
  if (args.data.empty()) throw UsageError("sweep needs DATA: a file or a directory");
  const SweepPlan plan = plan_of(args);
  const std::vector<WantedRun> runs = planned_runs(plan);
  check_read_again(plan.data, runs.size() + 1);
  check_data(plan.data, runs[0].config);
  const auto counted = [](size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  message("{}: {} at {}, and the full text, with {}\n", counted(runs.size(), "run"),
          counted(plan.models.size(), "model"), counted(plan.targets.size(), "target"),
          counted(static_cast<size_t>(plan.seeds), "seed"));
  PoolOptions options;
  options.device = args.device;
  options.jobs = args.jobs;
  stop_on_signals(*context.stop);
  options.stop = context.stop;
  options.summary = [](const WantedRun& run) { return result_line(run.directory); };
  const Failures failures = train_all(runs, options);
  const std::vector<SweepPoint> points = finished_points(plan);
  if (!points.empty()) {
    write_reports(plan, points, context.command_line);
    print("{}{} Intervals: of the mean over seeds.\n", text_table(sweep_rows(points)),
          measured_on(points));
    size_t count = 0;
    for (const WantedRun& run : runs) count += warned(run.directory) ? 1 : 0;
    if (count > 0)
      print("{} warned; see {}\n", counted(count, "run"), (plan.out / "runs/*.log").string());
    print("\n{}: sweep.html, sweep.csv, sweep.svg{}\n", plan.out.string(),
          has_gold(points) ? ", precision.svg" : "");
    std::fflush(stdout);
  }
  throw_if_failed(failures, runs.size());
}

}  // namespace

void add_sweep(CLI::App& app, const CommandContext& context) {
  auto args = std::make_shared<SweepArguments>();
  CLI::App* command = app.add_subcommand(
      "sweep", "accuracy against words kept: train every target with several seeds");
  command->add_option("DATA", args->data, "a file or directory, as train takes it");
  command->add_option("-o,--out", args->out, "directory for the runs and the curve")->required();
  command
      ->add_option("--targets", args->targets,
                   "shares to select, as 5,10,..,100%; of 100% only the full text is trained")
      ->capture_default_str();
  command->add_option("--models", args->models,
                      "kinds of model, as hardkuma,bernoulli (default: --model's)");
  command->add_option("--seeds", args->seeds, "runs of each, with seeds from --seed on")
      ->capture_default_str();
  command->add_flag("--warm-start", args->warm_start,
                    "start each target from the weights of the next higher one");
  command
      ->add_option("--jobs", args->jobs, "runs at a time; 0: one per core, on a GPU at most eight")
      ->capture_default_str();
  add_device_option(*command, args->device);
  args->settings.add_to(*command);
  command->callback([args, context] { run(*args, context); });
}

}  // namespace hardkuma
