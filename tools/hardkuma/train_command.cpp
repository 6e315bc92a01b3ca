#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/model/config_layers.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/report/event_observer.h"
#include "hardkuma/report/table.h"
#include "hardkuma/report/training_report.h"
#include "hardkuma/train/checkpoint_choice.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/run_directory.h"
#include "hardkuma/train/settings_by_data.h"
#include "hardkuma/train/training_run.h"
#include "machine_options.h"
#include "message.h"
#include "model_settings.h"
#include "progress.h"
#include "signals.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

struct TrainArguments {
  std::string device = "auto";
  std::string data;
  std::string out;
  bool resume = false;
  bool force = false;
  bool dump_config = false;
  bool verbose = false;
  SettingFlags settings;
};

// "reviews.csv.gz" → "reviews.model", in the current directory.
fs::path default_out(const std::string& data) {
  const std::string name = fs::path(data).lexically_normal().filename().string();
  const std::string stem =
      name.empty() ? fs::path(data).lexically_normal().parent_path().filename().string() : name;
  return stem.substr(0, stem.find('.')) + ".model";
}

// With --resume the run's own settings apply; flags that differ from them are an error.
Config effective_config(const TrainArguments& args, const fs::path& out) {
  if (!args.resume || !is_run(out)) {
    Config config = args.settings.config();
    if (config.train.workers == 0) config.train.workers = available_cores();
    return config;
  }
  const Config config = stored_config(out);
  Config asked = args.settings.preset_given() ? args.settings.config() : args.settings.over(config);
  asked.task = config.task;
  keep_choices(config, asked);
  if (asked.train.workers == 0) asked.train.workers = config.train.workers;
  const std::string other = first_difference(effective(config), asked);
  if (!other.empty()) {
    throw UsageError(
        "--resume goes on with the settings in {}, but {}; drop the flags that differ, or start "
        "anew in another --out",
        (out / "config.toml").string(), other);
  }
  return config;
}

void describe(const Prepared& prepared, const Config& config) {
  std::string sizes;
  for (const char* split : {"train", "dev", "test"}) {
    const auto found = prepared.splits.find(split);
    if (found == prepared.splits.end()) continue;
    sizes += fmt::format("{}{} {}", sizes.empty() ? "" : ", ",
                         with_commas(static_cast<int64_t>(found->second.size())), split);
  }
  message("{} {}; {}; vocabulary of {} words\n", sizes, reads_pairs(config) ? "pairs" : "texts",
          config.task.regression ? std::string("regression")
                                 : fmt::format("{} classes", config.task.labels.size()),
          with_commas(prepared.vocabulary.known()));
  if (config.model.kind != ModelKind::Svm) {
    message("{} epochs, batches of {}, learning rate {:.3g}, dropout {:.3g}\n", config.train.epochs,
            config.train.batch, config.train.learning_rate, config.model.dropout);
  }
  message("{}", pair_remarks(prepared.undecided, prepared.misplaced_marks));
  const Coverage& c = prepared.coverage;
  if (c.tokens == 0) return;
  const auto percent = [&](int64_t n) {
    return 100.0 * static_cast<double>(n) / static_cast<double>(c.tokens);
  };
  message(
      "word vectors: {:.1f}% of training tokens found as written, {:.1f}% in lower case, {:.1f}% "
      "unknown\n",
      percent(c.exact), percent(c.lower), percent(c.unknown));
}

// Reports a run on the terminal.
class Terminal final : public TrainObserver {
 public:
  Terminal(const Config& config, bool verbose)
      : config_(config),
        bar_(name_of(config.model.kind),
             {.selects = selects_words(config), .verbose = verbose, .config = &config_}) {}

  void on_step(const StepReport& report) override { bar_.on_step(report); }
  void on_epoch(const EpochReport& report) override { bar_.on_epoch(report); }
  void on_cost(double cost, double metric) override {
    message("svm  cost {:<5g}  dev {} {:.4f}\n", cost, config_.task.regression ? "MSE" : "accuracy",
            metric);
  }

 private:
  const Config& config_;
  ProgressBar bar_;
};

// "epoch 28, lowest dev loss within 1 point of 15%".
std::string choice_text(const EpochReport& best, const Config& config) {
  if (!has_gates(config)) return fmt::format("epoch {}, lowest dev loss", best.epoch);
  const std::string target = fmt::format("{:g}%", 100.0 * config.objective.target);
  if (!on_target(best.dev, config))
    return fmt::format("epoch {}, nearest to {}", best.epoch, target);
  return fmt::format("epoch {}, lowest dev loss within {:g} point{} of {}", best.epoch,
                     100.0 * config.train.tolerance, config.train.tolerance == 0.01 ? "" : "s",
                     target);
}

// False: stopped by Ctrl-C.
bool train_one(TrainingRun& run, const fs::path& out, bool verbose) {
  if (run.finished()) {
    message("{}: already finished\n", out.string());
    return true;
  }
  Terminal terminal(run.config(), verbose);
  EventObserver events(out);
  Observers both({&terminal, &events});
  const RunOutcome outcome = run.train(&both);
  if (!outcome.finished) return false;
  const std::string chosen = outcome.training.epochs.empty()
                                 ? ""
                                 : ": " + choice_text(outcome.training.best, run.config());
  print("\n{}{}\n{}\n", printable(out.string()), chosen,
        evaluation_table(outcome.splits, verbose ? Detail::Full : Detail::Brief));
  for (const std::string& warning : outcome.warnings) {
    message("warning: {}\n", warning);
  }
  return true;
}

void run(const TrainArguments& args, const CommandContext& context) {
  keep_freed_memory();
  const fs::path out = args.out.empty() ? default_out(args.data) : fs::path(args.out);
  Config config = effective_config(args, out);
  if (args.dump_config) {
    print("{}", to_toml(config));
    return;
  }
  if (args.data.empty()) throw UsageError("train needs DATA: a file or a directory");
  if (args.resume && args.force) throw UsageError("--resume and --force exclude each other");
  RunOptions options;
  options.command = context.command_line;
  options.data = args.data;
  options.device = choose_device(args.device);  // before anything is read or written
  options.stop = context.stop;
  options.force = args.force;
  options.reports = run_reports;
  // --resume starts a run that does not exist. Nothing is replaced before the data has been read.
  const auto resumes = [&](const fs::path& path) { return args.resume && is_run(path); };
  const fs::path full_text = out / kFullTextFolder;
  if (!resumes(out)) check_claim(out, args.force);
  if (config.train.full_text && !resumes(full_text)) check_claim(full_text, args.force);
  const auto data = std::make_shared<Prepared>(prepare(args.data, config));
  if (args.resume && !resumes(out)) {
    message("{}: nothing to resume; starting with the settings given\n", out.string());
  }
  const auto begin = [&](const fs::path& path, const Config& settings) {
    return resumes(path) ? TrainingRun::resume(path, data, options)
                         : TrainingRun::create(path, settings, data, options);
  };
  stop_on_signals(*context.stop);  // from here on there is something to save
  TrainingRun main_run = begin(out, config);
  describe(*data, config);
  if (options.device.is_cuda()) message("on {}\n", device_name(options.device));
  if (config.train.tf32 && !options.device.is_cuda()) {
    message("train.tf32 is for GPUs; here products are in float32\n");
  }
  bool finished = true;
  if (config.train.full_text) {
    TrainingRun full = begin(full_text, full_text_of(config));
    finished = train_one(full, full_text, args.verbose);
  }
  if (finished) finished = train_one(main_run, out, args.verbose);
  if (!finished) {
    message("stopped and saved; go on with: hardkuma train {} --out {} --resume\n",
            shell_quoted(as_argument(args.data)), shell_quoted(as_argument(out.string())));
    throw Interrupted();
  }
}

}  // namespace

void add_train(CLI::App& app, const CommandContext& context) {
  auto args = std::make_shared<TrainArguments>();
  CLI::App* command = app.add_subcommand(
      "train", "train a classifier that decides from a named share of the words");
  command->add_option("DATA", args->data,
                      "a labelled file (" + labelled_endings() +
                          ", each also .gz; formats: " + format_names() +
                          "), or a directory with train.*, dev.*, test.* or beer's reviews.*");
  command->add_option("-o,--out", args->out,
                      "directory for the model (default: DATA's name + .model)");
  command->add_flag("--resume", args->resume, "go on with a stopped or killed run");
  command->add_flag("--force", args->force, "replace the run in the output directory");
  command->add_flag("--dump-config", args->dump_config,
                    "print the effective settings as TOML and stop");
  command->add_flag("--verbose", args->verbose,
                    "also print what the controller does and what the gates expect to select");
  add_device_option(*command, args->device);
  args->settings.add_to(*command);
  command->callback([args, context] { run(*args, context); });
}

}  // namespace hardkuma
