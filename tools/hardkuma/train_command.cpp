#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "device_option.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"
#include "hardkuma/dist/stable.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/report/event_file.h"
#include "hardkuma/report/table.h"
#include "hardkuma/report/training_report.h"
#include "hardkuma/train/held_rate.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/run_directory.h"
#include "hardkuma/train/svm.h"
#include "hardkuma/train/trainer.h"
#include "model_settings.h"
#include "progress.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kBootstrap = 1000;
constexpr size_t kShown = 10;  // examples in report.html, right and wrong

struct TrainArguments {
  std::string device = "auto";
  std::string data;
  std::string out;
  bool resume = false;
  bool force = false;
  bool dump_config = false;
  SettingFlags settings;
};

// "reviews.csv.gz" → "reviews.model", beside where the command runs.
fs::path default_out(const std::string& data) {
  const std::string name = fs::path(data).lexically_normal().filename().string();
  const std::string stem =
      name.empty() ? fs::path(data).lexically_normal().parent_path().filename().string() : name;
  return stem.substr(0, stem.find('.')) + ".model";
}

// With --resume the run's own settings count; flags that say otherwise are an error.
Config effective_config(const TrainArguments& args, const fs::path& out) {
  const fs::path stored = out / "config.toml";
  if (!args.resume || !fs::exists(stored)) {
    Config config = args.settings.config();
    if (config.train.workers == 0) config.train.workers = available_cores();
    return config;
  }
  Config config;
  overlay_toml(config, read_file(stored), stored.string());
  Config asked = args.settings.preset_given() ? args.settings.config() : config;
  if (!args.settings.preset_given()) args.settings.apply(asked);
  asked.task = config.task;
  asked.model.threshold = config.model.threshold;  // found at the end
  if (asked.train.workers == 0) asked.train.workers = config.train.workers;
  if (to_toml(asked) != to_toml(config)) {
    throw UsageError(
        "--resume goes on with the settings in {}; drop the flags that differ, or "
        "start anew in another --out",
        stored.string());
  }
  return config;
}

void describe(const Prepared& prepared, const Config& config) {
  std::string sizes;
  for (const char* part : {"train", "dev", "test"}) {
    const auto found = prepared.parts.find(part);
    if (found == prepared.parts.end()) continue;
    sizes += fmt::format("{}{} {}", sizes.empty() ? "" : ", ", part,
                         with_commas(static_cast<int64_t>(found->second.size())));
  }
  fmt::print(stderr, "{}; {}; {} words known\n", sizes,
             config.task.regression ? std::string("regression")
                                    : fmt::format("{} classes", config.task.labels.size()),
             with_commas(prepared.vocabulary.known()));
  fmt::print(stderr, "{}", pair_remarks(prepared.undecided, prepared.misplaced_marks));
  const Coverage& c = prepared.coverage;
  if (c.tokens == 0) return;
  const auto percent = [&](int64_t n) {
    return 100.0 * static_cast<double>(n) / static_cast<double>(c.tokens);
  };
  fmt::print(stderr,
             "vectors: {:.1f}% of training tokens found as written, {:.1f}% in lower case, {:.1f}% "
             "unknown\n",
             percent(c.exact), percent(c.lower), percent(c.unknown));
}

using Predict = std::function<std::vector<ExamplePrediction>(const std::vector<Example>&)>;

// Measures the chosen checkpoint, prints the table, writes report.html; returns the results as
// JSON.
std::string report_results(const Config& config, const Prepared& prepared, const Predict& predict,
                           const TrainOutcome& outcome, const std::string& command,
                           const fs::path& out) {
  TrainingReport report{out.filename().string(), command, config, {}, outcome.epochs, {}, {}, {}};
  std::vector<NamedEvaluation>& results = report.results;
  nlohmann::ordered_json json;
  if (!outcome.epochs.empty()) json["epoch"] = outcome.best.epoch;
  const std::string last = prepared.parts.contains("test") ? "test" : "dev";
  for (const std::string name : {"dev", "test"}) {
    const auto found = prepared.parts.find(name);
    if (found == prepared.parts.end()) continue;
    const std::vector<Example>& set = found->second;
    const auto predictions = predict(set);
    results.push_back({name, summarise(set, predictions, config.task, kBootstrap)});
    json[name] = nlohmann::ordered_json::parse(evaluation_json(results.back().evaluation));
    if (name != last) continue;
    choose_examples(set, predictions, kShown, report);
    if (selects_words(config) && !reads_pairs(config)) {
      report.profile =
          selection_profile(set, predictions, config.task, word_counts(prepared.part("train")));
    }
  }
  const bool full_text = !selects_words(config);
  if (!full_text) json["target"] = config.objective.target;
  if (outcome.threshold > 0.0) {
    json["threshold"] = outcome.threshold;
    // As the chosen epoch selected, by its own threshold.
    json["before_calibration"] = {{"selected_micro", outcome.best.dev.selected_micro},
                                  {"selected_macro", outcome.best.dev.selected_macro}};
  }
  const std::string chosen =
      outcome.epochs.empty() ? "" : fmt::format(": chosen after epoch {}", outcome.best.epoch);
  fmt::print("\n{}{}\n{}\n", out.string(), chosen, evaluation_table(results));
  write_file(out / "report.html", training_page(report));
  return json.dump();
}

// The terminal, and a file for TensorBoard.
class Observer final : public TrainObserver {
 public:
  Observer(const Config& config, const Prepared& prepared, const TextModel& model,
           const fs::path& out)
      : config_(config),
        prepared_(prepared),
        out_(out),
        bar_(config.model.kind, model.selects()),
        events_(out / "tensorboard") {}

  void on_step(const StepReport& report) override { bar_.on_step(report); }

  void on_epoch(const EpochReport& r) override {
    bar_.on_epoch(r);
    if (r.chosen && r.threshold > 0.0) {
      // The weights are there already: also a run that is killed selects as it was measured.
      config_.model.threshold = r.threshold;
      save_settings(out_, config_, prepared_.vocabulary);
    }
    for (const TracedStep& step : r.trace) {
      events_.add(step.step, {{"rate/expected_train", step.rate},
                              {"rate/goal", step.goal},
                              {"rate/lambda", step.lambda}});
    }
    std::map<std::string, double> scalars = {{"loss/train", r.train_loss},
                                             {"loss/dev", r.dev.task_loss},
                                             {"learning_rate", r.learning_rate}};
    scalars[r.dev.regression ? "dev/mse" : "dev/accuracy"] = r.dev.metric;
    if (r.dev.gated) {
      scalars["rate/selected_dev"] = r.dev.selected_micro;
      scalars["rate/expected_dev"] = r.dev.expected;
    }
    if (r.dev.rationale.examples > 0) {
      scalars["rationale/precision"] = r.dev.rationale.precision();
      scalars["rationale/f1"] = r.dev.rationale.f1();
    }
    events_.add(r.steps, scalars);
  }

 private:
  Config config_;
  const Prepared& prepared_;
  fs::path out_;
  ProgressBar bar_;
  EventFile events_;
};

// The promise is the rate: say so when it was not kept.
void warn_if_off_target(const Config& config, const EpochReport& best) {
  if (!has_gates(config)) return;
  const auto odds = [](double share) { return logit(std::clamp(share, 1e-6, 1.0 - 1e-6)); };
  if (config.controller.name == "default" &&
      std::abs(odds(best.dev.expected) - odds(config.objective.target)) > 1.0) {
    fmt::print(
        stderr,
        "warning: the gates expect to select {}, far from {}: what is selected are the likeliest "
        "words, but training drew others; try more --epochs\n",
        percent(best.dev.expected), percent(config.objective.target));
  }
  if (off_target(best.dev, config) <= config.train.tolerance) return;
  fmt::print(stderr,
             "warning: no epoch selected within {:g} point{} of {}; the nearest, kept, "
             "selected {}; try more --epochs\n",
             100.0 * config.train.tolerance, config.train.tolerance == 0.01 ? "" : "s",
             percent(config.objective.target), percent(held_share(best.dev, config)));
}

Manifest manifest_of(const TrainArguments& args, const CommandContext& context,
                     const Config& config, const Prepared& prepared, const fs::path& out,
                     const std::string& status) {
  // A resumed run keeps the command that began it.
  const std::string begun = args.resume ? run_command(out) : "";
  return {begun.empty() ? context.command_line : begun,
          args.data,
          config.train.seed,
          prepared.fingerprints,
          status,
          ""};
}

// Leaves a manifest and the settings, so that a run killed at any later moment can be resumed by
// its directory alone.
void begin_run(const TrainArguments& args, const CommandContext& context, const Config& config,
               const Prepared& prepared, const fs::path& out) {
  fs::create_directories(out);
  if (args.resume) check_fingerprints(out, prepared.fingerprints);
  if (args.resume && fs::exists(out / "manifest.json")) return;
  // The settings first: with them alone a bare --resume does the right thing.
  save_settings(out, config, prepared.vocabulary);
  write_manifest(out, manifest_of(args, context, config, prepared, out, "running"));
}

// Trains one model in a directory that was begun. False: stopped by Ctrl-C.
bool train_one(const TrainArguments& args, const CommandContext& context, Config config,
               const Prepared& prepared, const fs::path& out) {
  if (args.resume && run_status(out) == "finished") {
    fmt::print(stderr, "{}: already finished\n", out.string());
    return true;
  }
  Manifest manifest = manifest_of(args, context, config, prepared, out, "running");
  if (config.model.kind == "svm") {
    const auto svm = train_svm(config, prepared.part("train"), prepared.part("dev"), context.stop,
                               [&](double cost, double metric) {
                                 fmt::print(stderr, "svm  cost {:<5g}  dev {} {:.4f}\n", cost,
                                            config.task.regression ? "MSE" : "accuracy", metric);
                               });
    manifest.status = svm ? "finished" : "stopped";
    if (!svm) {
      write_manifest(out, manifest);
      return false;
    }
    svm->save(out / "model.safetensors");
    const auto predict = [&](const std::vector<Example>& set) {
      return predict_all(*svm, set, config.task);
    };
    manifest.results = report_results(config, prepared, predict, {}, manifest.command, out);
    write_manifest(out, manifest);
    return true;
  }
  TrainOutcome outcome;
  const auto model = make_model(config, prepared.embedding.clone());
  const bool goes_on = args.resume && fs::exists(out / "checkpoint");
  if (!config.train.start.empty() && !goes_on) {
    start_from(*model, prepared.vocabulary, config.train.start);
  }
  model->to(choose_device(args.device));
  {
    Observer observer(config, prepared, *model, out);
    outcome = train({config, prepared.part("train"), prepared.part("dev"), model, out, &observer,
                     context.stop, args.resume});
  }
  manifest.status = outcome.finished ? "finished" : "stopped";
  if (outcome.finished) {
    const auto workers = tensor_workers(config.train.workers);
    const auto predict = [&](const std::vector<Example>& set) {
      return predict_all(*model, set, *workers);
    };
    if (outcome.threshold > 0.0) {
      config.model.threshold = outcome.threshold;
      save_settings(out, config, prepared.vocabulary);
    }
    manifest.results = report_results(config, prepared, predict, outcome, manifest.command, out);
    warn_if_off_target(config, outcome.best);
    if (!outcome.best.alarm.empty()) {
      fmt::print(stderr, "warning: in the chosen model {}\n", outcome.best.alarm);
    }
  }
  write_manifest(out, manifest);
  return outcome.finished;
}

void run(const TrainArguments& args, const CommandContext& context) {
  keep_freed_memory();
  const fs::path out = args.out.empty() ? default_out(args.data) : fs::path(args.out);
  Config config = effective_config(args, out);
  config.model.threshold = 0.0;  // to be found, also if a run that was stopped had found it
  if (args.dump_config) {
    fmt::print("{}", to_toml(config));
    return;
  }
  if (args.data.empty()) throw UsageError("train needs DATA: a file or a directory");
  if (args.resume && args.force) throw UsageError("--resume and --force exclude each other");
  const at::Device device = choose_device(args.device);  // before anything is read or written
  // Resuming what is not there yet is starting it. Nothing is replaced before the data was read.
  const bool starts = !args.resume || !is_run(out);
  if (starts) check_claim(out, args.force);
  Prepared prepared = prepare(args.data, config);
  if (starts && !config.train.start.empty()) {  // said before anything is written
    if (args.force && fs::weakly_canonical(out) == fs::weakly_canonical(config.train.start)) {
      throw UsageError("train.start is {}, which --force would replace; name another --out",
                       out.string());
    }
    const auto model = make_model(config, prepared.embedding.clone());
    start_from(*model, prepared.vocabulary, config.train.start);
  }
  if (starts) claim_directory(out, args.force);
  if (args.resume && starts) {
    fmt::print(stderr, "{}: nothing to resume; starting with the settings given\n", out.string());
  }
  describe(prepared, config);
  if (device.is_cuda()) fmt::print(stderr, "on {}\n", device_name(device));
  if (config.train.tf32 && device.is_cuda()) allow_tf32();
  if (config.train.tf32 && !device.is_cuda()) {
    fmt::print(stderr, "train.tf32 is for GPUs; here products are in float32\n");
  }

  begin_run(args, context, config, prepared, out);
  bool finished = true;
  if (config.train.full_text && selects_words(config)) {
    const Config full = full_text_of(config);
    begin_run(args, context, full, prepared, out / "full-text");
    finished = train_one(args, context, full, prepared, out / "full-text");
  }
  if (finished) finished = train_one(args, context, config, prepared, out);
  if (!finished) {
    fmt::print(stderr, "stopped and saved; go on with: hardkuma train {} --out {} --resume\n",
               shell_quoted(args.data), shell_quoted(out.string()));
    throw Interrupted();
  }
}

}  // namespace

void add_train(CLI::App& app, const CommandContext& context) {
  auto args = std::make_shared<TrainArguments>();
  CLI::App* command =
      app.add_subcommand("train", "train a model that decides from a share of what it reads");
  command->add_option(
      "DATA", args->data,
      "CSV, TSV, JSONL, SST or beer file (also .gz), or a directory with train.*, dev.*, test.* or "
      "beer's reviews.*");
  command->add_option("-o,--out", args->out,
                      "directory for the model (default: DATA's name + .model)");
  command->add_flag("--resume", args->resume, "go on with a stopped or killed run");
  command->add_flag("--force", args->force, "replace the run in the output directory");
  command->add_flag("--dump-config", args->dump_config, "print the effective settings and stop");
  add_device_option(*command, args->device);
  args->settings.add_to(*command);
  command->callback([args, context] { run(*args, context); });
}

}  // namespace hardkuma
