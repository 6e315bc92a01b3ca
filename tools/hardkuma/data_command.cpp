#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/tasting_notes.h"
#include "hardkuma/report/table.h"
#include "hardkuma/train/prepare.h"
#include "message.h"
#include "model_settings.h"
#include "output.h"
#include "signals.h"

namespace hardkuma {
namespace {

struct GenerateArguments {
  TastingNotesOptions options;
  std::string out;
};

void generate(const GenerateArguments& args, std::atomic<bool>& stop) {
  stop_on_signals(stop);
  const std::vector<TastingNote> notes = tasting_notes(args.options);
  Output output(args.out);
  for (const TastingNote& note : notes) {
    if (stop) throw Interrupted();
    output.write(to_jsonl(note) + "\n");
  }
  output.finish();
}

struct InspectArguments {
  std::string data;
  SettingFlags settings;
};

std::string label_summary(const std::vector<Example>& set, const TaskInfo& task) {
  if (task.regression && !task.labels.empty()) {
    return fmt::format("{} scores: {}", task.labels.size(), fmt::join(task.labels, ", "));
  }
  if (task.regression) {
    double low = 1.0;
    double high = 0.0;
    double mean = 0.0;
    for (const Example& example : set) {
      low = std::min(low, example.target);
      high = std::max(high, example.target);
      mean += example.target / static_cast<double>(set.size());
    }
    const auto value = [&](double x) { return task.low + (task.high - task.low) * x; };
    return fmt::format("{:.4g} to {:.4g}, mean {:.4g}", value(low), value(high), value(mean));
  }
  std::string out;
  for (size_t i = 0; i < task.labels.size() && i < 8; ++i) {
    const auto count = std::count_if(set.begin(), set.end(), [&](const Example& example) {
      return static_cast<size_t>(example.target) == i;
    });
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", quotable(task.labels[i], 20),
                       with_commas(count));
  }
  return out + (task.labels.size() > 8 ? ", …" : "");
}

void inspect(const InspectArguments& args) {
  Config config = args.settings.config();
  const Prepared prepared = prepare(args.data, config);
  std::vector<std::vector<std::string>> rows = {{"split", reads_pairs(config) ? "pairs" : "texts",
                                                 "words", "median length", "longest", "with gold",
                                                 "labels"}};
  for (const char* name : {"train", "dev", "test"}) {
    const auto found = prepared.splits.find(name);
    if (found == prepared.splits.end()) continue;
    std::vector<size_t> lengths;
    size_t words = 0;
    int64_t gold = 0;
    for (const Example& example : found->second) {
      lengths.push_back(example.words.size() + example.second.words.size());
      words += lengths.back();
      gold += example.has_gold ? 1 : 0;
    }
    std::sort(lengths.begin(), lengths.end());
    rows.push_back({name, with_commas(static_cast<int64_t>(lengths.size())),
                    with_commas(static_cast<int64_t>(words)),
                    std::to_string(lengths[lengths.size() / 2]), std::to_string(lengths.back()),
                    with_commas(gold), label_summary(found->second, config.task)});
  }
  print("{}", text_table(rows));
  print("{}", pair_remarks(prepared.undecided, prepared.misplaced_marks));
  print("task: {}; vocabulary: {} words\n",
        config.task.regression ? "regression" : "classification",
        with_commas(prepared.vocabulary.known()));
}

}  // namespace

void add_data(CLI::App& app, const CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("data", "inspect a data set, or generate the demonstration data");
  command->require_subcommand(1);

  auto made = std::make_shared<GenerateArguments>();
  CLI::App* generator = command->add_subcommand(
      "generate", "write invented drink reviews with gold rationales, as JSONL");
  generator->add_option("-n,--count", made->options.count, "number of reviews")
      ->capture_default_str();
  generator->add_option("--seed", made->options.seed, "seed of the generator")
      ->capture_default_str();
  generator
      ->add_option("--correlation", made->options.correlation,
                   "between the scores of the aspects, 0 to 1")
      ->capture_default_str();
  generator
      ->add_option("--comparisons", made->options.comparisons,
                   "sentences in each that rate an aspect of another drink")
      ->capture_default_str();
  generator->add_option("-o,--out", made->out, "file to write (default: stdout)");
  generator->callback([made, context] { generate(*made, *context.stop); });

  auto seen = std::make_shared<InspectArguments>();
  CLI::App* inspector = command->add_subcommand(
      "inspect", "how train would read a data set: splits, lengths, labels, vocabulary");
  inspector->add_option("DATA", seen->data, "a file, or a directory with train.*, dev.*, test.*")
      ->required();
  seen->settings.add_to(*inspector);
  inspector->callback([seen] { inspect(*seen); });
}

}  // namespace hardkuma
