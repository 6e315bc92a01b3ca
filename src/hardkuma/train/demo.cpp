#include "hardkuma/train/demo.h"

#include <algorithm>

#include "hardkuma/common/clock.h"
#include "hardkuma/common/error.h"
#include "hardkuma/data/tasting_notes.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/presets.h"
#include "hardkuma/train/run_directory.h"

namespace hardkuma {
namespace {

constexpr int64_t kDevNotes = 500;
constexpr int64_t kTestNotes = 1000;
constexpr int64_t kBootstrap = 1000;
constexpr size_t kShown = 3;

RawPart notes_part(const std::string& aspect, bool scores, const TastingNotesOptions& options) {
  const auto found = std::find(kAspects.begin(), kAspects.end(), aspect);
  if (found == kAspects.end())
    throw UsageError("no aspect \"{}\"; there are look, smell and palate", aspect);
  const auto which = static_cast<size_t>(found - kAspects.begin());
  RawPart part;
  part.path = "tasting notes";
  for (TastingNote& note : tasting_notes(options)) {
    RawExample example;
    example.line = static_cast<int64_t>(part.examples.size()) + 1;
    example.id = note.id;
    example.text = std::move(note.text);
    const AspectRating& rating = note.aspects[which];
    example.label = scores ? fmt::format("{}", rating.score) : rating.label;
    example.label_is_number = scores;
    example.has_gold = true;
    example.gold = rating.spans;
    example.tokens = tokenize(example.text, Tokenizer::Words);
    part.examples.push_back(std::move(example));
  }
  return part;
}

// Trains on the prepared notes, into `directory` unless it is empty, and measures on test.
std::vector<ExamplePrediction> train_and_predict(Config config, const Prepared& prepared,
                                                 const std::filesystem::path& directory,
                                                 const DemoOptions& options,
                                                 TrainObserver* observer) {
  const auto say = [&](const std::string& status) {
    if (directory.empty()) return;
    write_manifest(directory,
                   {"hardkuma demo", "tasting notes", config.train.seed, {}, status, ""});
  };
  if (!directory.empty()) {
    std::filesystem::create_directories(directory);
    save_settings(directory, config, prepared.vocabulary);
  }
  say("running");
  const auto model = make_model(config, prepared.embedding.clone());
  const TrainOutcome outcome = train({config, prepared.part("train"), prepared.part("dev"), model,
                                      directory, observer, options.stop, /*resume=*/false});
  config.model.threshold = outcome.threshold;
  if (!directory.empty()) save_settings(directory, config, prepared.vocabulary);
  say(outcome.finished ? "finished" : "stopped");
  const auto workers = tensor_workers(config.train.workers);
  return predict_all(*model, prepared.part("test"), *workers);
}

}  // namespace

RawDataset tasting_dataset(const TastingDataset& wanted) {
  const auto part = [&](int64_t count, int64_t number, const char* prefix) {
    const auto seed = static_cast<uint64_t>(3 * wanted.seed + number);
    return notes_part(wanted.aspect, wanted.scores,
                      {count, seed, wanted.correlation, wanted.comparisons, prefix});
  };
  RawDataset raw;
  raw.parts["train"] = part(wanted.count, 0, "train");
  raw.parts["dev"] = part(kDevNotes, 1, "dev");
  raw.parts["test"] = part(kTestNotes, 2, "test");
  return raw;
}

Config demo_config(const std::string& aspect, const DemoOptions& options) {
  Config config = preset_config("default");
  config.objective.target = options.target;
  config.train.epochs = 24;  // enough for sentences as regular as these
  config.train.seed = options.seed;
  config.train.workers = options.workers == 0 ? available_cores() : options.workers;
  config.data.label = aspect;
  return config;
}

DemoAspect run_demo_aspect(const std::string& aspect, const DemoOptions& options,
                           TrainObserver* full_text_observer, TrainObserver* observer) {
  Config config = demo_config(aspect, options);
  validate(config);
  const Prepared prepared = prepare(tasting_dataset({aspect, options.count, options.seed}), config);
  const std::vector<Example>& test = prepared.part("test");

  DemoAspect out;
  out.name = aspect;
  out.target = options.target;
  const Clock::time_point start = Clock::now();
  Config full_text = config;
  full_text.model.kind = "full-text";
  const auto directory =
      options.directory.empty() ? std::filesystem::path() : options.directory / aspect;
  const auto full_directory = directory.empty() ? directory : directory / "full-text";
  out.full_text = summarise(
      test, train_and_predict(full_text, prepared, full_directory, options, full_text_observer),
      config.task, kBootstrap);
  const auto predictions = train_and_predict(config, prepared, directory, options, observer);
  out.train_seconds = seconds_since(start);
  out.task = config.task;
  out.test = summarise(test, predictions, config.task, kBootstrap);
  for (size_t i = 0; i < std::min(kShown, test.size()); ++i) {
    out.examples.emplace_back(test[i], predictions[i]);
  }
  return out;
}

}  // namespace hardkuma
