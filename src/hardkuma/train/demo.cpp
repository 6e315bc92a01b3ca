#include "hardkuma/train/demo.h"

#include <algorithm>

#include "hardkuma/common/clock.h"
#include "hardkuma/common/error.h"
#include "hardkuma/data/tasting_notes.h"
#include "hardkuma/model/config_layers.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/presets.h"
#include "hardkuma/train/training_run.h"

namespace hardkuma {
namespace {

constexpr int64_t kDevNotes = 500;
constexpr int64_t kTestNotes = 1000;
constexpr size_t kShown = 3;

RawSplit notes_split(const std::string& aspect, bool scores, const TastingNotesOptions& options) {
  const auto found = std::find(kAspects.begin(), kAspects.end(), aspect);
  if (found == kAspects.end())
    throw UsageError("no aspect \"{}\"; there are look, smell and palate", aspect);
  const auto which = static_cast<size_t>(found - kAspects.begin());
  RawSplit split;
  split.path = "tasting notes";
  for (TastingNote& note : tasting_notes(options)) {
    RawExample example;
    example.line = static_cast<int64_t>(split.examples.size()) + 1;
    example.id = note.id;
    example.text = std::move(note.text);
    const AspectRating& rating = note.aspects[which];
    example.label = scores ? fmt::format("{}", rating.score) : rating.label;
    example.label_is_number = scores;
    example.has_gold = true;
    example.gold = rating.spans;
    example.tokens = tokenize(example.text, Tokenizer::Words);
    split.examples.push_back(std::move(example));
  }
  return split;
}

}  // namespace

RawDataset tasting_dataset(const TastingDataset& wanted) {
  const auto split = [&](int64_t count, int64_t number, const char* prefix) {
    const auto seed = static_cast<uint64_t>(3 * wanted.seed + number);
    return notes_split(wanted.aspect, wanted.scores,
                       {count, seed, wanted.correlation, wanted.comparisons, prefix});
  };
  RawDataset raw;
  raw.splits["train"] = split(wanted.count, 0, "train");
  raw.splits["dev"] = split(kDevNotes, 1, "dev");
  raw.splits["test"] = split(kTestNotes, 2, "test");
  return raw;
}

Config demo_config(const std::string& aspect, const DemoOptions& options) {
  Config config = preset_config("default");
  config.objective.target = options.target;
  config.train.epochs = 24;  // enough for sentences as regular as these
  config.train.seed = options.seed;
  config.train.workers = options.workers == 0 ? available_cores() : options.workers;
  config.data.label = aspect;
  return effective(config);
}

DemoAspect run_demo_aspect(const std::string& aspect, const DemoOptions& options,
                           TrainObserver* full_text_observer, TrainObserver* observer) {
  Config config = demo_config(aspect, options);
  const auto data = std::make_shared<Prepared>(
      prepare(tasting_dataset({aspect, options.count, options.seed}), config));
  RunOptions run_options;
  run_options.command = "hardkuma demo";
  run_options.data = "tasting notes";
  run_options.stop = options.stop;
  run_options.force = options.force;

  DemoAspect out;
  out.name = aspect;
  out.target = options.target;
  out.task = config.task;
  const Clock::time_point start = Clock::now();
  const auto directory =
      options.directory.empty() ? std::filesystem::path() : options.directory / aspect;
  const auto measured = [&](TrainingRun& run, TrainObserver* to) {
    const RunOutcome outcome = run.train(to);
    out.finished = out.finished && outcome.finished;
    return outcome.finished ? outcome.splits.back().evaluation : Evaluation{};
  };
  TrainingRun run = TrainingRun::create(directory, config, data, run_options);
  TrainingRun full = TrainingRun::create(directory.empty() ? directory : directory / "full-text",
                                         full_text_of(config), data, run_options);
  out.full_text = measured(full, full_text_observer);
  if (out.finished) out.test = measured(run, observer);
  out.train_seconds = seconds_since(start);
  if (!out.finished) return out;
  const std::vector<Example>& test = data->split("test");
  const std::vector<Example> shown(test.begin(),
                                   test.begin() + static_cast<long>(std::min(kShown, test.size())));
  const auto workers = tensor_workers(1);
  const auto predictions = run.classifier().predict(shown, *workers);
  for (size_t i = 0; i < shown.size(); ++i) out.examples.emplace_back(shown[i], predictions[i]);
  return out;
}

}  // namespace hardkuma
