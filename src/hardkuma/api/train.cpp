#include "hardkuma/train.h"

#include <fmt/format.h>

#include "hardkuma/api/translate.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/make_example.h"
#include "hardkuma/model/config_layers.h"
#include "hardkuma/model/data_options.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/report/event_observer.h"
#include "hardkuma/report/training_report.h"
#include "hardkuma/train/presets.h"
#include "hardkuma/train/run_directory.h"
#include "hardkuma/train/training_run.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

// Forwards progress to a public observer.
class Bridge final : public TrainObserver {
 public:
  explicit Bridge(Observer* to) : to_(to) {}

  void on_step(const StepReport& report) override {
    if (to_ != nullptr) to_->on_step(report);
  }
  void on_epoch(const EpochReport& r) override {
    if (to_ == nullptr) return;
    to_->on_epoch({r.epoch, r.epochs, r.train_loss, r.dev, r.chosen, r.alarm});
  }

 private:
  Observer* to_;
};

Config config_of(const TrainOptions& options) {
  ConfigLayers layers(preset_config(options.preset));
  for (const auto& [name, value] : options.settings) layers.set(name, value, "settings");
  return layers.finish();
}

RawSplit records_of(const std::vector<LabelledText>& texts, const DataOptions& options) {
  RawSplit out;
  out.path = "memory";
  for (const LabelledText& text : texts) {
    RawExample record;
    record.line = static_cast<int64_t>(out.examples.size()) + 1;
    record.id = std::to_string(out.examples.size());
    for (const std::string* side : {&text.text, &text.second, &text.label}) {
      check_text(*side, out.path, record.line);
    }
    record.text = text.text;
    record.label = text.label;
    double ignored = 0.0;
    record.label_is_number = parse_number(text.label, ignored);
    record.is_pair = options.columns.pair;
    record.second.text = text.second;
    record.gold = text.gold;
    record.has_gold = text.has_gold || !text.gold.empty();
    const int64_t length = count_code_points(text.text);
    for (const CharSpan& span : text.gold) {
      if (span.start >= 0 && span.start <= span.end && span.end <= length) continue;
      throw InputError("{}:{}: gold span [{}, {}) is outside the text of {} characters", out.path,
                       record.line, span.start, span.end, length);
    }
    if (!text.second.empty() && !record.is_pair) {
      throw InputError("{}:{}: has a second text, but the model reads one; train with preset snli",
                       out.path, record.line);
    }
    tokenize_example(record, options, out.path);
    if (record.tokens.empty() || (record.is_pair && record.second.tokens.empty())) {
      throw InputError("{}:{}: a text is empty", out.path, record.line);
    }
    if (record.label.empty()) throw InputError("{}:{}: the label is empty", out.path, record.line);
    out.examples.push_back(std::move(record));
  }
  if (out.examples.empty()) throw InputError("no texts to train on");
  if (options.binarise) binarise(out, options.negative_below, options.positive_above);
  return out;
}

RawDataset in_memory(const std::vector<LabelledText>& texts, const Config& config) {
  const Config::Data& data = config.data;
  for (const std::string* column : {&data.text, &data.second, &data.label, &data.gold}) {
    if (column->empty()) continue;
    throw InputError("data names the column \"{}\", but texts in memory have none; leave it out",
                     *column);
  }
  const DataOptions options = data_options(config);
  uint64_t hash = hash_text("");
  for (const LabelledText& text : texts) {
    for (const std::string* piece : {&text.text, &text.second, &text.label}) {
      hash = hash_text(*piece, hash_text("\n", hash));
    }
    for (const CharSpan& span : text.gold) {
      hash = hash_text(fmt::format("{}-{},", span.start, span.end), hash);
    }
  }
  RawDataset out = split_by_hash(records_of(texts, options), options);
  out.fingerprints["memory"] = fmt::format("fnv1a64:{:016x}:{}", hash, texts.size());
  return out;
}

// `read(config)` gives the prepared data.
template <typename Read>
TrainResult train_with(const std::string& source, const fs::path& directory,
                       const TrainOptions& options, const Read& read) {
  if (directory.empty()) throw UsageError("train needs a directory for the model");
  if (options.resume && options.force) throw UsageError("resume and force exclude each other");
  const fs::path full_text = directory / kFullTextFolder;
  const auto resumes = [&](const fs::path& path) { return options.resume && is_run(path); };
  if (!resumes(directory)) check_claim(directory, options.force);
  Config config = resumes(directory) ? stored_config(directory) : config_of(options);
  if (config.train.full_text && !resumes(full_text)) check_claim(full_text, options.force);
  if (config.train.workers == 0) config.train.workers = available_cores();
  const auto data = std::make_shared<Prepared>(read(config));
  RunOptions run_options;
  run_options.command = fmt::format("hardkuma::train(\"{}\", \"{}\")", source, directory.string());
  run_options.data = source;
  run_options.device = choose_device(options.device);
  run_options.stop = options.stop;
  run_options.force = options.force;
  run_options.reports = run_reports;
  Bridge bridge(options.observer);
  const auto begin = [&](const fs::path& path, const Config& settings) {
    return resumes(path) ? TrainingRun::resume(path, data, run_options)
                         : TrainingRun::create(path, settings, data, run_options);
  };
  const auto finish = [&](TrainingRun& run, const fs::path& path) {
    EventObserver events(path);
    Observers both({&bridge, &events});
    return run.train(&both);
  };
  TrainingRun main_run = begin(directory, config);  // first, since it locks the directory
  TrainResult out;
  if (config.train.full_text) {
    TrainingRun full = begin(full_text, full_text_of(config));
    out.finished = finish(full, full_text).finished;
    if (!out.finished) return out;
  }
  const RunOutcome outcome = finish(main_run, directory);
  out.finished = outcome.finished;
  out.epoch = outcome.training.best.epoch;
  out.splits = outcome.splits;
  out.warnings = outcome.warnings;
  return out;
}

}  // namespace

TrainResult train(const std::string& data, const fs::path& directory, const TrainOptions& options) {
  return translated([&] {
    return train_with(data, directory, options,
                      [&](Config& config) { return prepare(data, config); });
  });
}

TrainResult train(const std::vector<LabelledText>& data, const fs::path& directory,
                  const TrainOptions& options) {
  return translated([&] {
    return train_with("memory", directory, options,
                      [&](Config& config) { return prepare(in_memory(data, config), config); });
  });
}

}  // namespace hardkuma
