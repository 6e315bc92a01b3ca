#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "../commands.h"
#include "../machine_options.h"
#include "../message.h"
#include "../signals.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/eval/spread.h"
#include "hardkuma/train/presets.h"
#include "reproduce.h"

namespace hardkuma {

namespace fs = std::filesystem;

Config experiment(const Reproduction& asked, const std::string& preset) {
  Config config = preset_config(preset);
  config.data.vectors = asked.vectors;
  config.train.full_text = false;
  return config;
}

std::string data_for(const Reproduction& asked, int64_t train_lines, int64_t other_lines) {
  if (!asked.quick) return asked.data;
  std::map<std::string, std::string> sources;
  for (const auto& entry : fs::directory_iterator(asked.data)) {
    if (!entry.is_regular_file()) continue;
    sources[entry.path().filename().string()] = file_fingerprint(entry.path());
  }
  std::string source = fmt::format("{} lines to train on, {} else, of\n", train_lines, other_lines);
  for (const auto& [name, fingerprint] : sources) source += name + " " + fingerprint + "\n";
  const fs::path copy = asked.out / "data";
  const fs::path note = asked.out / "data-source.txt";
  const fs::path unfinished = asked.out / "data.unfinished";
  const bool ours = fs::exists(note);
  if (ours && fs::exists(copy) && read_file(note) == source) return copy.string();
  for (const fs::path& there : {copy, unfinished}) {
    if (!fs::exists(there)) continue;
    if (!ours) {
      throw InputError("{}: exists and is not a copy that reproduce made; name another --out",
                       there.string());
    }
    if (fs::exists(asked.out / "runs")) {
      throw InputError("{}: is a copy of other data; name another --out", there.string());
    }
    fs::remove_all(there);
  }
  fs::create_directories(asked.out);
  write_file(note, source);
  fs::create_directories(unfinished);
  for (const auto& [file, fingerprint] : sources) {
    const int64_t most = file.find("train") != std::string::npos ? train_lines : other_lines;
    // Lines at even distances, since files may be sorted. The first, perhaps a header, is kept.
    std::vector<std::string> all;
    LineReader lines((fs::path(asked.data) / file).string());
    for (std::string line; lines.next(line);) all.push_back(line);
    const auto count = static_cast<int64_t>(all.size());
    std::string text;
    for (int64_t i = 0; i < std::min(count, most); ++i) {
      text += all[static_cast<size_t>(count <= most ? i : i * count / most)] + "\n";
    }
    write_file(unfinished / (file.ends_with(".gz") ? file.substr(0, file.size() - 3) : file), text);
  }
  fs::rename(unfinished, copy);
  return copy.string();
}

void train_or_fail(const std::vector<WantedRun>& runs, const Reproduction& asked) {
  check_data(asked.data, runs.at(0).config);
  throw_if_failed(train_all(runs, asked.pool), runs.size());
}

std::string mean_text(const std::vector<double>& values, double scale, int digits) {
  if (values.empty()) return "–";
  const Spread spread = spread_of(values);
  const std::string mean = fmt::format("{:.{}f}", scale * spread.mean, digits);
  if (spread.count < 2) return mean;
  return fmt::format("{} ± {:.{}f}", mean, scale * spread.deviation, digits);
}

std::string tradeoff_caption(const Reproduction& asked) {
  return asked.seeds > 1 ? "means over seeds with 95% intervals; across, the full text's"
                         : "single runs; across, the full text";
}

StudySection how(const Reproduction& asked, const Config& config, const std::string& more) {
  StudySection out{"How"};
  out.notes = {
      fmt::format(
          "{}, {} units, {} epochs, batches of {}, {}; {}. What is selected is held by "
          "this program's controller and thresholds for every model with gates (docs/rate.md); the "
          "paper held HardKuma's by its own controller and Bernoulli's by fixed penalties. "
          "Checkpoints are chosen on dev. After ± stands the standard deviation of single runs, in "
          "tables with an interval that of the mean.",
          config.model.encoder == EncoderKind::Rcnn ? "RCNN encoders" : "LSTM encoders",
          config.model.hidden, config.train.epochs, config.train.batch,
          asked.seeds == 1 ? "seed 1" : fmt::format("seeds 1 to {}", asked.seeds),
          asked.vectors.empty()
              ? "word embeddings learned from the training texts, where the paper had word vectors"
              : fmt::format("fixed word vectors from {}",
                            fs::path(asked.vectors).filename().string())),
      more};
  return out;
}

namespace {

struct Experiment {
  const char* name;
  const char* title;
  std::vector<StudySection> (*run)(const Reproduction&);
  bool needs_data;
};

constexpr Experiment kExperiments[] = {
    {"beer", "Which words rate a beer", reproduce_beer, true},
    {"sst", "How much of a sentence its sentiment needs", reproduce_sst, true},
    {"snli", "Which words of two sentences meet", reproduce_snli, true},
    {"distribution", "Kuma and HardKuma", reproduce_distribution, false},
};

struct ReproduceArguments {
  std::string what;
  Reproduction asked;
  std::string out;
  int64_t seeds = 0;
};

void run(ReproduceArguments args, const CommandContext& context) {
  const auto* experiment = std::find_if(std::begin(kExperiments), std::end(kExperiments),
                                        [&](const Experiment& e) { return e.name == args.what; });
  Reproduction& asked = args.asked;
  if (experiment->needs_data && asked.data.empty()) {
    throw UsageError("reproduce {} needs --data, the directory of its files", args.what);
  }
  if (experiment->needs_data && !fs::is_directory(asked.data)) {
    throw InputError("{}: no such directory", asked.data);
  }
  if (asked.pool.jobs < 0) throw UsageError("--jobs {}: 0 or more", asked.pool.jobs);
  if (args.seeds < 0) throw UsageError("--seeds {}: at least 1", args.seeds);
  asked.seeds = args.seeds > 0 ? args.seeds : asked.quick ? 1 : 3;
  asked.out =
      args.out.empty() ? "reproduce-" + args.what + (asked.quick ? "-quick" : "") : args.out;
  stop_on_signals(*context.stop);
  asked.pool.stop = context.stop;
  asked.pool.summary = [](const WantedRun& r) { return result_line(r.directory); };
  Study study{experiment->title,
              "Bastings, Aziz and Titov, Interpretable Neural Predictions with Differentiable "
              "Binary Variables (ACL 2019), reproduced.",
              context.command_line,
              {}};
  if (asked.quick) study.about += " In a hurry: less data, fewer epochs and targets.";
  study.sections = experiment->run(asked);
  write_study(asked.out, study);
  print("{}\n{}: index.html, results.md\n", study_text(study), asked.out.string());
}

}  // namespace

void add_reproduce(CLI::App& app, const CommandContext& context) {
  auto args = std::make_shared<ReproduceArguments>();
  CLI::App* command = app.add_subcommand(
      "reproduce", "repeat the paper's experiments, beside the published numbers");
  std::vector<std::string> names;
  for (const Experiment& experiment : kExperiments) names.emplace_back(experiment.name);
  command->add_option("WHAT", args->what, "beer, sst, snli or distribution")
      ->required()
      ->check(CLI::IsMember(names));
  command->add_option("--data", args->asked.data, "directory with the experiment's files");
  command->add_option("--vectors", args->asked.vectors,
                      "word vectors (default: embeddings are learned)");
  command->add_option(
      "-o,--out", args->out,
      "directory for runs, page and figures (default: reproduce-WHAT, of --quick with -quick)");
  command->add_option("--seeds", args->seeds, "runs of each model (default: 3, of --quick 1)");
  command->add_flag("--quick", args->asked.quick,
                    "less data, fewer epochs and targets: minutes on a processor");
  command
      ->add_option("--jobs", args->asked.pool.jobs,
                   "runs at a time; 0: one per core, on a GPU at most eight")
      ->capture_default_str();
  add_device_option(*command, args->asked.pool.device);
  command->callback([args, context] { run(*args, context); });
}

}  // namespace hardkuma
