#include "hardkuma/train/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hardkuma/common/directory.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/dist/stable.h"
#include "hardkuma/eval/class_scores.h"
#include "hardkuma/model/make_model.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/model/network_classifier.h"
#include "hardkuma/model/ngram_svm.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/checkpoint_choice.h"
#include "hardkuma/train/linear_fit.h"
#include "hardkuma/train/objective.h"
#include "hardkuma/train/run_directory.h"
#include "hardkuma/train/svm.h"
#include "hardkuma/train/trainer.h"
#include "hardkuma/version.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCheckpoint = "checkpoint/state.safetensors";
constexpr const char* kMetrics = "metrics.jsonl";

std::string percent_text(double share) {
  return fmt::format("{:.1f}%", 100.0 * share);
}

// Warnings if the rate is not at the target.
std::vector<std::string> rate_warnings(const Config& config, const EpochReport& best,
                                       const Evaluation& dev) {
  std::vector<std::string> out;
  if (!has_gates(config)) return out;
  const double target = config.objective.target;
  const auto odds = [](double share) { return logit(std::clamp(share, 1e-6, 1.0 - 1e-6)); };
  if (config.controller.name == ControllerKind::Default &&
      std::abs(odds(best.dev.expected) - odds(target)) > 1.0) {
    out.push_back(fmt::format(
        "training has not settled at {} (the gates expect {}); highlights may be unreliable; raise "
        "--epochs",
        percent_text(target), percent_text(best.dev.expected)));
  }
  if (!on_target(dev, config)) {
    out.push_back(fmt::format("epoch {} selects {} of dev, the target is {}; raise --epochs",
                              best.epoch, percent_text(selected_share(dev, config)),
                              percent_text(target)));
  }
  return out;
}

}  // namespace

class TrainingRun::Impl final : public TrainStore {
 public:
  Impl(fs::path directory, Config config, std::shared_ptr<const Prepared> data, RunOptions options)
      : directory_(std::move(directory)),
        config_(std::move(config)),
        data_(std::move(data)),
        options_(std::move(options)) {
    config_.model.threshold = 0.0;  // training finds them, even if a stopped run had found some
    config_.model.temperature = 1.0;
  }

  void begin() {
    if (!directory_.empty()) check_claim(directory_, options_.force);
    const std::string& start = config_.train.start;
    if (options_.force && !start.empty() && fs::exists(directory_) &&
        fs::weakly_canonical(directory_) == fs::weakly_canonical(start)) {
      throw UsageError("train.start is {}, which --force would replace; name another --out", start);
    }
    make_classifier();
    if (!directory_.empty()) {
      std::error_code error;
      fs::create_directories(directory_, error);
      if (error) throw InputError("{}: cannot create: {}", directory_.string(), error.message());
      lock_.emplace(directory_);
      check_claim(directory_, options_.force);  // again, now that it is locked
      clear_run(directory_);
    }
    manifest_ = {kVersion,           options_.command,    options_.data,
                 config_.train.seed, data_->fingerprints, RunStatus::Running};
    commit([&](DirectoryCommit& commit) {
      add_settings(commit, config_);
      add_vocabulary(commit, data_->vocabulary);
    });
  }

  void go_on() {
    lock_.emplace(directory_);
    const CommittedDirectory committed(directory_);
    DirectoryCommit complete(directory_);  // finishes the commit of a killed process
    check_fingerprints(directory_, data_->fingerprints);
    manifest_ = read_manifest(directory_).value();
    resumes_ = true;
    if (manifest_.status == RunStatus::Finished) {
      classifier_ = load_model(directory_).classifier;  // verifies all files
      return;
    }
    committed.verify();
    if (!committed.has_checksums()) {
      throw InputError("{}: was begun by a version before 0.2; start anew in another --out",
                       directory_.string());
    }
    manifest_.status = RunStatus::Running;
    make_classifier();
  }

  RunOutcome train(TrainObserver* observer) {
    if (finished()) return finished_before();
    RunOutcome out;
    out.finished = config_.model.kind == ModelKind::Svm ? fit_linear(observer)
                                                        : fit_network(observer, out.training);
    if (out.finished) {
      finish(out);
    } else {
      manifest_.status = RunStatus::Stopped;
      commit([&](DirectoryCommit& commit) { name_events(commit); });
    }
    return out;
  }

  bool finished() const { return manifest_.status == RunStatus::Finished; }
  const Config& config() const { return config_; }
  const Prepared& data() const { return *data_; }
  Classifier& classifier() { return *classifier_; }

  void save(const Checkpoint& checkpoint) override {
    manifest_.epochs_done = static_cast<int64_t>(checkpoint.epochs.size());
    commit([&](DirectoryCommit& commit) {
      if (checkpoint.chosen != nullptr) {
        // Saved with the weights, so that the model of a killed run selects as measured.
        config_.model.threshold = checkpoint.epochs.back().threshold;
        add_settings(commit, config_);
        add_weights(commit, *checkpoint.chosen);
      }
      commit.add(kMetrics, metrics_text(checkpoint.epochs));
      commit.add(kCheckpoint, [&](const Sink& sink) { write_safetensors(sink, checkpoint.state); });
    });
  }

  std::optional<Saved> load() override {
    const std::string name = (directory_ / kCheckpoint).string();
    if (!resumes_) return std::nullopt;
    const CommittedDirectory committed(directory_);
    if (!committed.has(kCheckpoint)) return std::nullopt;
    Saved out{parse_safetensors(committed.read(kCheckpoint), name), {}, name};
    if (manifest_.epochs_done > 0) out.chosen = load_weights_of(directory_);
    return out;
  }

  std::string kept() const override {
    return directory_.empty() ? "" : "the last good model is kept in " + directory_.string() + ";";
  }

 private:
  // Called before training starts, so that incompatible settings fail at once.
  void make_classifier() {
    if (config_.model.kind == ModelKind::Svm) return;
    network_ = make_model(config_, data_->embedding.clone());
    network_->to(options_.device);  // first, so that what is set below is there too
    network_->set_prior(prior_logits(data_->split("train"), config_));
    network_->set_class_weights(class_weights(data_->split("train"), config_));
    if (config_.model.linear) {
      network_->set_linear(fit_linear_part(data_->split("train"), data_->vocabulary, config_));
    }
    const bool starts = !resumes_ || !CommittedDirectory(directory_).has(kCheckpoint);
    if (!config_.train.start.empty() && starts) {
      start_from(*network_, data_->vocabulary, config_.train.start);
    }
  }

  RunOutcome finished_before() const {
    RunOutcome out;
    out.warnings = manifest_.warnings;
    out.training.epochs = read_metrics(directory_);
    for (const EpochReport& report : out.training.epochs) {
      if (report.chosen) out.training.best = report;
    }
    if (!manifest_.results) return out;
    out.training.threshold = manifest_.results->threshold.value_or(0.0);
    for (const auto& [name, evaluation] : manifest_.results->splits) {
      out.splits.push_back({name, evaluation});
    }
    return out;
  }

  bool fit_network(TrainObserver* observer, TrainOutcome& outcome) {
    if (config_.train.tf32 && options_.device.is_cuda()) allow_tf32();
    outcome = train_network({config_, data_->split("train"), data_->split("dev"), network_,
                             directory_.empty() ? nullptr : this, observer, options_.stop,
                             options_.checkpoint_seconds, options_.peers});
    config_.model.threshold = outcome.threshold;
    config_.model.temperature = outcome.temperature;
    classifier_ = std::make_unique<NetworkClassifier>(network_);
    return outcome.finished;
  }

  bool fit_linear(TrainObserver* observer) {
    auto svm =
        train_svm(config_, data_->split("train"), data_->split("dev"), options_.stop, observer);
    if (!svm) return false;
    classifier_ = std::make_unique<NgramSvm>(std::move(*svm));
    return true;
  }

  // Measures the trained model, and commits it with its results and reports.
  void finish(RunOutcome& out) {
    const auto workers = tensor_workers(config_.train.workers);
    RunResults results;
    results.epoch = out.training.best.epoch;
    std::vector<ExamplePrediction> predictions;
    for (const char* name : {"dev", "test"}) {
      const auto found = data_->splits.find(name);
      if (found == data_->splits.end()) continue;
      predictions = classifier_->predict(found->second, *workers);
      out.splits.push_back({name, summarise(found->second, predictions, config_.task, kBootstrap)});
      results.splits[name] = out.splits.back().evaluation;
    }
    if (selects_words(config_)) results.target = config_.objective.target;
    if (out.training.threshold > 0.0) {
      results.threshold = out.training.threshold;
      const Evaluation& before = out.training.best.dev;
      results.before_calibration = {{"selected_micro", before.selected_micro},
                                    {"selected_macro", before.selected_macro}};
    }
    if (!out.training.epochs.empty()) {
      out.warnings = rate_warnings(config_, out.training.best, results.splits.at("dev"));
      const std::string& alarm = out.training.best.alarm;
      if (!alarm.empty()) out.warnings.push_back("the chosen model: " + alarm);
    }
    if (!out.splits.empty()) {
      const auto& [name, judged] = out.splits.back();
      for (const std::string& warning : class_warnings(judged))
        out.warnings.push_back(name + ": " + warning);
    }
    manifest_.status = RunStatus::Finished;
    manifest_.warnings = out.warnings;
    manifest_.results = std::move(results);
    if (directory_.empty()) return;
    std::map<std::string, std::string> reports;
    if (options_.reports) {
      const fs::path path = directory_.lexically_normal();
      const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
      reports = options_.reports(
          {name.string(), manifest_, config_, *data_, out.training, out.splits, predictions});
    }
    commit([&](DirectoryCommit& commit) {
      add_settings(commit, config_);
      if (out.training.epochs.empty()) add_weights(commit, classifier_->weights());
      for (const auto& [file, content] : reports) commit.add(file, content);
      name_events(commit);
    });
  }

  // Observers write event files during training; now they are complete.
  void name_events(DirectoryCommit& commit) {
    if (!fs::is_directory(directory_ / kEventFolder)) return;
    for (const auto& entry : fs::directory_iterator(directory_ / kEventFolder)) {
      if (!is_event_file(entry.path())) continue;
      commit.add_existing(fmt::format("{}/{}", kEventFolder, entry.path().filename().string()));
    }
  }

  template <typename Add>
  void commit(const Add& add) {
    if (directory_.empty()) return;
    DirectoryCommit commit(directory_);
    add(commit);
    commit.finish(to_json(manifest_));
  }

  fs::path directory_;
  Config config_;
  std::shared_ptr<const Prepared> data_;
  RunOptions options_;
  std::optional<DirectoryLock> lock_;
  Manifest manifest_;
  bool resumes_ = false;
  std::shared_ptr<TextModel> network_;  // null for a linear model
  std::unique_ptr<Classifier> classifier_;
};

TrainingRun::TrainingRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TrainingRun::TrainingRun(TrainingRun&&) noexcept = default;
TrainingRun::~TrainingRun() = default;

TrainingRun TrainingRun::create(const fs::path& directory, Config config,
                                std::shared_ptr<const Prepared> data, RunOptions options) {
  auto impl =
      std::make_unique<Impl>(directory, std::move(config), std::move(data), std::move(options));
  impl->begin();
  return TrainingRun(std::move(impl));
}

TrainingRun TrainingRun::resume(const fs::path& directory, std::shared_ptr<const Prepared> data,
                                RunOptions options) {
  Config config = stored_config(directory);
  auto impl =
      std::make_unique<Impl>(directory, std::move(config), std::move(data), std::move(options));
  impl->go_on();
  return TrainingRun(std::move(impl));
}

TrainingRun TrainingRun::resume(const fs::path& directory, RunOptions options) {
  Config config = stored_config(directory);
  const std::string data = read_manifest(directory).value_or(Manifest{}).data;
  if (data.empty())
    throw InputError("{}: does not say what data to go on with", directory.string());
  return resume(directory, std::make_shared<Prepared>(prepare(data, config)), std::move(options));
}

bool TrainingRun::finished() const {
  return impl_->finished();
}

RunOutcome TrainingRun::train(TrainObserver* observer) {
  return impl_->train(observer);
}

const Config& TrainingRun::config() const {
  return impl_->config();
}

const Prepared& TrainingRun::data() const {
  return impl_->data();
}

Classifier& TrainingRun::classifier() {
  return impl_->classifier();
}

Config stored_config(const fs::path& directory) {
  if (!is_run(directory)) throw InputError("{}: no run to resume", directory.string());
  return read_committed(directory, [&](const CommittedDirectory& committed) {
    Config config;
    overlay_toml(config, committed.read("config.toml"), (directory / "config.toml").string());
    config.model.threshold = 0.0;
    config.model.temperature = 1.0;
    return config;
  });
}

}  // namespace hardkuma
