#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/tasting_notes.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/report/explanation.h"
#include "hardkuma/report/page.h"
#include "hardkuma/report/table.h"
#include "hardkuma/train/demo.h"
#include "message.h"
#include "output.h"
#include "progress.h"
#include "signals.h"
#include "status_line.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

struct DemoArguments {
  std::string out;
  std::string target = "15%";
  int64_t count = 2000;
  int64_t seed = 1;
  bool force = false;
};

std::string bold(const std::string& text, bool colour) {
  return colour ? "\x1b[1m" + text + "\x1b[0m" : text;
}

std::vector<Explanation> explanations(const DemoAspect& aspect) {
  std::vector<Explanation> out;
  for (const auto& [example, prediction] : aspect.examples) {
    out.push_back(explain(example, prediction, aspect.task));
  }
  return out;
}

void show_examples(const DemoAspect& aspect, bool colour) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  print("{}\n", bold(fmt::format("Test reviews, explained for {}:", aspect.name), colour));
  for (const Explanation& example : explanations(aspect)) {
    const std::string text = fmt::format("  {}  {}", bold(prediction_text(example), colour),
                                         highlighted(example, colour));
    print("{}\n", terminal ? wrapped(text, terminal_width(STDOUT_FILENO), "    ") : text);
  }
  print("\n");
}

void show_table(const std::vector<DemoAspect>& aspects, double seconds) {
  std::vector<std::vector<std::string>> rows = {
      {"aspect", "target", "words shown", "precision", "recall", "accuracy", "full text"}};
  for (const DemoAspect& a : aspects) {
    rows.push_back({a.name, percent(a.target), percent(a.test.selected_micro),
                    percent(a.test.rationale.precision()), percent(a.test.rationale.recall()),
                    percent(a.test.metric), percent(a.full_text.metric)});
  }
  print("{}", text_table(rows));
  print(
      "\n{} unseen reviews per aspect. Precision: selected words that lie in the sentences rating "
      "the\n"
      "aspect. Trained here, six models in {}.\n",
      with_commas(aspects.front().test.examples), short_duration(seconds));
}

std::string demo_json(const std::vector<DemoAspect>& aspects, double seconds) {
  nlohmann::ordered_json out;
  for (const DemoAspect& a : aspects) {
    out[a.name] = {{"target", a.target},
                   {"selected", a.test.selected_micro},
                   {"precision", a.test.rationale.precision()},
                   {"recall", a.test.rationale.recall()},
                   {"accuracy", a.test.metric},
                   {"full_text_accuracy", a.full_text.metric},
                   {"train_seconds", a.train_seconds}};
  }
  out["train_seconds"] = seconds;
  return out.dump(2) + "\n";
}

void write_files(const fs::path& out, const std::vector<DemoAspect>& aspects, double target,
                 double seconds) {
  std::string page = page_open(
      "Drink reviews, explained",
      fmt::format("Three models, each trained to decide from {} of a review. Highlighted: what the "
                  "decision was made from. Underlined: the sentences that rate the aspect.",
                  percent(target, 0)));
  for (const DemoAspect& aspect : aspects) {
    page += fmt::format("<h2>{}</h2>\n", aspect.name);
    for (const Explanation& example : explanations(aspect)) page += page_card(example);
  }
  write_file(out / "demo.html", page + page_close());
  write_file(out / "demo.json", demo_json(aspects, seconds));
}

void run(const DemoArguments& args, const CommandContext& context) {
  keep_freed_memory();
  DemoOptions options;
  options.target = parse_rate(args.target, "--target");
  options.count = args.count;
  options.seed = args.seed;
  stop_on_signals(*context.stop);
  options.stop = context.stop;
  demo_config("look", options);  // validates
  const fs::path out = args.out;
  if (!args.out.empty()) {
    if (fs::exists(out) && !fs::is_directory(out)) {
      throw InputError("{}: exists and is not a directory", args.out);
    }
    if (fs::exists(out) && !fs::is_empty(out) && !args.force) {
      throw InputError("{}: exists and is not empty; replace it with --force", args.out);
    }
    fs::create_directories(out);
    options.directory = out;
    options.force = args.force;
  }
  const bool colour = colour_terminal(STDOUT_FILENO);
  message("Training on {} invented drink reviews to decide from {} of each text.\n",
          with_commas(args.count), percent(options.target, 0));
  std::vector<DemoAspect> aspects;
  double seconds = 0.0;
  for (const char* name : kAspects) {
    ProgressBar full_bar(fmt::format("{:<6} full text", name), {.quiet = true});
    ProgressBar bar(fmt::format("{:<6} hardkuma ", name), {.selects = true, .quiet = true});
    aspects.push_back(run_demo_aspect(name, options, &full_bar, &bar));
    if (!aspects.back().finished) {
      message("stopped; the demonstration cannot be resumed\n");
      throw Interrupted();
    }
    seconds += aspects.back().train_seconds;
    message("{:<6} done in {}\n", name, short_duration(aspects.back().train_seconds));
  }
  if (!args.out.empty()) write_files(out, aspects, options.target, seconds);
  print("\n");
  for (const DemoAspect& aspect : aspects) show_examples(aspect, colour);
  show_table(aspects, seconds);
  if (args.out.empty()) {
    print(
        "\nKeep the models with --out DIR. Your own data:  hardkuma train reviews.csv --target "
        "15%\n");
    return;
  }
  print(
      "\nWritten: {0}/demo.html, {0}/demo.json and the models. Try one:\n"
      "  hardkuma explain {0}/look \"The bar was dreadful. In the glass it is simply gorgeous, "
      "bright and never dull.\"\n",
      args.out);
}

}  // namespace

void add_demo(CLI::App& app, const CommandContext& context) {
  auto args = std::make_shared<DemoArguments>();
  CLI::App* command = app.add_subcommand(
      "demo", "train on invented drink reviews and show what the models decide from");
  command->add_option("-o,--out", args->out,
                      "keep the models, demo.html and demo.json in this directory");
  command->add_option("--target", args->target, "share of the words to decide from")
      ->capture_default_str();
  command->add_option("-n,--count", args->count, "reviews to train on")->capture_default_str();
  command->add_option("--seed", args->seed, "of the data and the training")->capture_default_str();
  command->add_flag("--force", args->force, "write into a directory that is not empty");
  command->callback([args, context] { run(*args, context); });
}

}  // namespace hardkuma
