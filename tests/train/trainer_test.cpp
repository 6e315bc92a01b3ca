#include "hardkuma/train/trainer.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/model/make_model.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/checkpoint_choice.h"
#include "hardkuma/train/demo.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/training_run.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::TempDirectory;

Config small_config() {
  Config config;
  config.model.hidden = 8;
  config.model.embedding = 8;
  config.train.epochs = 4;
  config.train.workers = 2;
  return config;
}

struct SmallRun {
  Config config = small_config();
  Prepared prepared = prepare(tasting_dataset({"look", 60, 1}), config);
  std::optional<TrainingRun> last;

  TrainOutcome run(const fs::path& directory, bool resume = false,
                   const std::atomic<bool>* stop = nullptr, TrainObserver* observer = nullptr,
                   double checkpoint_seconds = 300.0) {
    RunOptions options;
    options.stop = stop;
    options.checkpoint_seconds = checkpoint_seconds;
    const auto data = std::make_shared<Prepared>(prepared);
    last.reset();  // it holds its directory's lock
    last.emplace(resume ? TrainingRun::resume(directory, data, options)
                        : TrainingRun::create(directory, config, data, options));
    return last->train(observer).training;
  }
};

// Stops after a number of steps, as Ctrl-C would.
struct Stopper : TrainObserver {
  explicit Stopper(int steps) : left(steps) {}
  void on_step(const StepReport&) override {
    if (--left == 0) stop = true;
  }
  int left;
  std::atomic<bool> stop{false};
};

// Stops a run after a number of steps and resumes it: the same bytes as a run never stopped.
// Returns that one's metrics.
std::string expect_resumed_the_same(SmallRun& small, int steps, const std::string& what = "") {
  const TempDirectory whole;
  small.run(whole.path());
  const TempDirectory cut;
  Stopper stopper(steps);
  EXPECT_FALSE(small.run(cut.path(), false, &stopper.stop, &stopper).finished) << what;
  EXPECT_TRUE(small.run(cut.path(), true).finished) << what;
  EXPECT_EQ(read_file(cut.path() / "model.safetensors"),
            read_file(whole.path() / "model.safetensors"))
      << what;
  std::string metrics = read_file(whole.path() / "metrics.jsonl");
  EXPECT_EQ(read_file(cut.path() / "metrics.jsonl"), metrics) << what;
  return metrics;
}

TEST(Trainer, TheSameSeedGivesTheSameBytes) {
  for (const bool dependent : {false, true}) {
    SmallRun small;
    small.config.model.dependent = dependent;
    small.config.model.encoder = dependent ? EncoderKind::Rcnn : EncoderKind::Lstm;
    const TempDirectory a;
    const TempDirectory b;
    small.run(a.path());
    small.run(b.path());
    EXPECT_EQ(read_file(a.path() / "model.safetensors"), read_file(b.path() / "model.safetensors"));
    EXPECT_EQ(read_file(a.path() / "metrics.jsonl"), read_file(b.path() / "metrics.jsonl"));
  }
}

TEST(Trainer, AStoppedRunGoesOnToTheSameBytes) {
  const TempDirectory whole;
  SmallRun().run(whole.path());
  for (const int steps : {1, 3, 6, 8, 11, 14}) {
    const TempDirectory cut;
    Stopper stopper(steps);
    EXPECT_FALSE(SmallRun().run(cut.path(), false, &stopper.stop, &stopper).finished);
    EXPECT_TRUE(SmallRun().run(cut.path(), true).finished);
    EXPECT_EQ(read_file(cut.path() / "model.safetensors"),
              read_file(whole.path() / "model.safetensors"))
        << steps;
    EXPECT_EQ(read_file(cut.path() / "metrics.jsonl"), read_file(whole.path() / "metrics.jsonl"))
        << steps;
  }
}

TEST(Trainer, PlateauAndAdamStateSurviveResuming) {
  SmallRun small;
  small.config.train.schedule = RateSchedule::Plateau;
  small.config.train.patience = 0;
  small.config.controller.warmup = small.config.controller.descent = 0.1;
  expect_resumed_the_same(small, 9);
}

TEST(Trainer, OptionsOfTheGameSurviveResuming) {
  using Change = std::function<void(Config&)>;
  const std::vector<std::pair<const char*, Change>> options = {
      {"linear part, floor, match",
       [](Config& c) {
         c.model.linear = true;
         c.model.floor = 0.5;
         c.objective.match = 0.5;
         c.train.balance = Balance::Auto;
       }},
      {"predictor's rate", [](Config& c) { c.train.predictor_rate = PredictorRate::Share; }},
      {"selectors", [](Config& c) { c.model.selectors = 2; }},
      {"shared", [](Config& c) { c.model.shared = true; }},
      {"anneal", [](Config& c) { c.train.schedule = RateSchedule::Anneal; }},
      {"entropy", [](Config& c) { c.objective.entropy = 0.1; }},
      {"edge", [](Config& c) { c.controller.edge = 0.02; }},
      {"settle", [](Config& c) { c.controller.settle = 0.5; }},
      {"others",
       [](Config& c) {
         c.model.kind = ModelKind::Bernoulli;
         c.objective.samples = 2;
         c.objective.baseline = Baseline::Others;
       }},
      {"geometric", [](Config& c) { c.controller.schedule = Descent::Geometric; }},
      {"uncorrected", [](Config& c) { c.controller.corrected = false; }},
  };
  std::vector<std::string> results;
  for (const auto& [name, change] : options) {
    SmallRun small;
    small.config.controller.warmup = small.config.controller.descent = 0.25;
    change(small.config);
    results.push_back(expect_resumed_the_same(small, 6, name));  // the goal is coming down
    for (size_t i = 0; i + 1 < results.size(); ++i) EXPECT_NE(results[i], results.back()) << name;
  }
}

TEST(Trainer, OnlyTheDefaultControllerIsCalibrated) {
  for (const ControllerKind name : {ControllerKind::Paper, ControllerKind::Fixed}) {
    SmallRun small;
    small.config.controller.name = name;
    const TempDirectory dir;
    EXPECT_EQ(small.run(dir.path()).threshold, 0.0);
  }
  SmallRun fractional;
  fractional.config.model.decision = Decision::Argmax;
  const TempDirectory dir;
  EXPECT_EQ(fractional.run(dir.path()).threshold, 0.0);
}

TEST(Trainer, ADamagedCheckpointIsRefused) {
  const TempDirectory dir;
  SmallRun().run(dir.path());
  const fs::path state = dir.path() / "checkpoint" / "state.safetensors";
  const std::string bytes = read_file(state);
  write_file(state, std::string_view(bytes).substr(0, bytes.size() / 2));
  EXPECT_NE(message_of<InputError>([&] {
              SmallRun().run(dir.path(), true);
            }).find("state.safetensors: is damaged"),
            std::string::npos);
}

// A kill leaves no time to save: what counts is the last checkpoint, in the middle of an epoch.
TEST(Trainer, ARunKilledBetweenCheckpointsGoesOnToTheSameBytes) {
  struct Killer : TrainObserver {
    void on_step(const StepReport&) override {
      if (--left == 0) throw std::runtime_error("killed");
    }
    int left = 7;
  };
  const TempDirectory whole;
  SmallRun().run(whole.path());
  const TempDirectory cut;
  Killer killer;
  EXPECT_THROW(SmallRun().run(cut.path(), false, nullptr, &killer, 0.0), std::runtime_error);
  ASSERT_TRUE(fs::exists(cut.path() / "checkpoint" / "state.safetensors"));
  SmallRun().run(cut.path(), true);
  EXPECT_EQ(read_file(cut.path() / "model.safetensors"),
            read_file(whole.path() / "model.safetensors"));
}

// Keeps what training saves, so that it can go on with other settings.
struct Kept : TrainStore {
  void save(const Checkpoint& checkpoint) override {
    state = checkpoint.state;
    for (auto& [name, tensor] : state.tensors) tensor = tensor.clone();
    if (checkpoint.chosen != nullptr) chosen = *checkpoint.chosen;
    ++saves;
  }
  std::optional<Saved> load() override {
    if (saves == 0) return std::nullopt;
    return Saved{state, chosen, "kept"};
  }
  std::string kept() const override { return "it is kept;"; }

  TensorFile state;
  Weights chosen;
  int saves = 0;
};

TEST(Trainer, DivergenceStopsAndKeepsTheLastGoodModel) {
  SmallRun small;
  Kept kept;
  Stopper stopper(6);  // one epoch of four steps, and half of the next
  const auto go_on = [&](TrainObserver* observer, const std::atomic<bool>* stop) {
    return train_network({small.config, small.prepared.split("train"), small.prepared.split("dev"),
                          make_model(small.config, small.prepared.embedding.clone()), &kept,
                          observer, stop});
  };
  EXPECT_FALSE(go_on(&stopper, &stopper.stop).finished);
  const int saves = kept.saves;
  const at::Tensor good = kept.chosen.at("output.weight").clone();
  auto state = nlohmann::json::parse(kept.state.metadata.at("state"));
  state["learning_rate"] = 1e30;
  kept.state.metadata["state"] = state.dump();
  const std::string message = message_of<InputError>([&] { go_on(nullptr, nullptr); });
  EXPECT_NE(message.find("training diverged at epoch 2"), std::string::npos) << message;
  EXPECT_NE(message.find("it is kept; try a lower train.learning_rate"), std::string::npos)
      << message;
  EXPECT_EQ(kept.saves, saves);
  EXPECT_TRUE(at::equal(kept.chosen.at("output.weight"), good));
}

// Whoever wrote it: what it says of itself is checked before it is believed.
TEST(Trainer, ACheckpointThatCannotBeIsRefused) {
  SmallRun small;
  Kept kept;
  const auto go_on = [&](TrainObserver* observer, const std::atomic<bool>* stop) {
    return train_network({small.config, small.prepared.split("train"), small.prepared.split("dev"),
                          make_model(small.config, small.prepared.embedding.clone()), &kept,
                          observer, stop});
  };
  Stopper stopper(6);  // one epoch of four steps, and half of the next
  go_on(&stopper, &stopper.stop);
  const std::string good = kept.state.metadata.at("state");
  constexpr int64_t kMany = int64_t{1} << 62;
  const std::vector<std::pair<const char*, int64_t>> impossible = {
      {"step", -1}, {"step", kMany}, {"epoch", -kMany}, {"epoch", 99},
      {"epoch", 0}, {"epoch", 3},    {"seen", -1},      {"seen", kMany}};
  for (const auto& [name, value] : impossible) {
    auto state = nlohmann::json::parse(good);
    state[name] = value;
    kept.state.metadata["state"] = state.dump();
    EXPECT_EQ(message_of<InputError>([&] { go_on(nullptr, nullptr); }),
              "kept: not a checkpoint of this run")
        << name << " " << value;
  }
  const std::string deep = ",\"deep\":" + std::string(80000, '[') + std::string(80000, ']') + "}";
  for (const std::string& state :
       {good.substr(0, good.size() - 1) + deep,
        std::regex_replace(good, std::regex("\"adam_steps\":\\[\\d+"), "\"adam_steps\":[-1"),
        std::regex_replace(good, std::regex("\"adam_steps\":\\[\\d+"), "\"adam_steps\":[1e300"),
        std::regex_replace(good, std::regex("\"trace\":\\["), "\"trace\":[[1e300,0,0,0]")}) {
    ASSERT_NE(state, good);
    kept.state.metadata["state"] = state;
    EXPECT_EQ(message_of<InputError>([&] { go_on(nullptr, nullptr); }),
              "kept: not a checkpoint of this run");
  }
  kept.state.metadata["state"] = good;
  EXPECT_TRUE(go_on(nullptr, nullptr).finished);
}

TEST(Trainer, SkewedLabelsAreNotDivergence) {
  SmallRun small;
  for (Example& example : small.prepared.splits["train"]) example.target = 0.0;
  small.prepared.splits["train"][0].target = 1.0;
  EXPECT_TRUE(small.run({}).finished);
  for (Example& example : small.prepared.splits["train"]) example.target *= 0.01;
  small.config.task = TaskInfo{true, {}, 0.0, 1.0};
  EXPECT_TRUE(small.run({}).finished);
}

TEST(Trainer, EveryEncoderTrainsWithAndWithoutDependentGates) {
  for (const EncoderKind encoder : {EncoderKind::Lstm, EncoderKind::Rcnn}) {
    for (const bool dependent : {false, true}) {
      SmallRun small;
      small.config.model.encoder = encoder;
      small.config.model.dependent = dependent;
      small.config.train.temperature = false;  // which would change the loss after the epoch
      const TempDirectory dir;
      const TrainOutcome outcome = small.run(dir.path());
      EXPECT_TRUE(std::isfinite(outcome.best.dev.task_loss));
      SavedModel saved = load_model(dir.path());
      saved.classifier->set_choice({Decision::Binary, outcome.best.threshold, 0.0, 0});
      const auto again = saved.classifier->predict(small.prepared.split("dev"), *tensor_workers(2));
      EXPECT_NEAR(summarise(small.prepared.split("dev"), again, small.config.task).task_loss,
                  outcome.best.dev.task_loss, 1e-5);
    }
  }
}

TEST(Trainer, EveryControllerModelAndTaskTrains) {
  for (const ControllerKind controller :
       {ControllerKind::Default, ControllerKind::Paper, ControllerKind::Fixed}) {
    for (const bool regression : {false, true}) {
      SmallRun small;
      small.config.controller.name = controller;
      small.config.train.epochs = 2;
      if (regression) small.config.task = TaskInfo{true, {}, 0.0, 1.0};
      const TrainOutcome outcome = small.run({});
      EXPECT_EQ(outcome.epochs.size(), 2u);
      EXPECT_TRUE(std::isfinite(outcome.best.dev.task_loss));
      EXPECT_EQ(outcome.best.dev.regression, regression);
    }
  }
  SmallRun full;
  full.config.model.kind = ModelKind::FullText;
  EXPECT_EQ(full.run({}).best.dev.selected_micro, 1.0);
}

TEST(Trainer, TheTemperatureIsSavedAndLowersTheDevLoss) {
  double losses[2] = {};
  for (const bool temperature : {false, true}) {
    SmallRun small;
    small.config.train.learning_rate = 0.02;  // overfits, and is too sure
    small.config.train.epochs = 8;
    small.config.train.temperature = temperature;
    const TempDirectory dir;
    const TrainOutcome outcome = small.run(dir.path());
    EXPECT_EQ(outcome.temperature != 1.0, temperature);
    const SavedModel saved = load_model(dir.path());
    EXPECT_NEAR(saved.config.model.temperature, outcome.temperature, 1e-6);
    const auto again = saved.classifier->predict(small.prepared.split("dev"), *tensor_workers(2));
    losses[temperature ? 1 : 0] =
        summarise(small.prepared.split("dev"), again, small.config.task).task_loss;
  }
  EXPECT_LT(losses[1], losses[0]);
}

// Every model of the paper's first experiment, on both kinds of task, comes back from its
// directory.
TEST(Trainer, EveryModelTrainsAndComesBack) {
  for (const ModelKind kind : {ModelKind::HardKuma, ModelKind::Bernoulli, ModelKind::HardConcrete,
                               ModelKind::Attention, ModelKind::FullText}) {
    for (const std::string task : {"classes", "squared", "logit-normal"}) {
      SCOPED_TRACE(name_of(kind) + " " + task);
      SmallRun small;
      small.config.model.kind = kind;
      small.config.model.encoder = EncoderKind::Rcnn;
      small.config.model.dependent = true;
      small.config.train.epochs = 3;
      small.config.train.temperature = false;
      if (task != "classes") small.config.task = TaskInfo{true, {}, 0.0, 1.0};
      if (task == "logit-normal") small.config.model.likelihood = Likelihood::LogitNormal;
      const TempDirectory dir;
      const TrainOutcome outcome = small.run(dir.path());
      EXPECT_TRUE(std::isfinite(outcome.best.dev.task_loss));
      SavedModel saved = load_model(dir.path());
      saved.classifier->set_choice({Decision::Binary, outcome.best.threshold, 0.0, 0});
      const auto again = saved.classifier->predict(small.prepared.split("dev"), *tensor_workers(2));
      EXPECT_NEAR(summarise(small.prepared.split("dev"), again, small.config.task).task_loss,
                  outcome.best.dev.task_loss, 1e-5);
    }
  }
}

// REINFORCE's baseline is part of where a run stands.
TEST(Trainer, AStoppedBernoulliRunGoesOnToTheSameBytes) {
  for (const ControllerKind controller : {ControllerKind::Default, ControllerKind::Fixed}) {
    SmallRun small;
    small.config.model.kind = ModelKind::Bernoulli;
    small.config.controller.name = controller;
    expect_resumed_the_same(small, 11, name_of(controller));
  }
}

// After each epoch on training texts, at the end on dev.
TEST(Trainer, CalibratesWhatIsSelected) {
  for (const bool on_dev : {true, false}) {
    for (const Share share : {Share::OfUnits, Share::OfTexts}) {
      SmallRun small;
      small.config.train.calibrate = on_dev;
      small.config.objective.share = share;
      small.config.objective.target = 0.3;
      small.config.model.threshold = 0.9;  // of an earlier run in the directory
      const TempDirectory dir;
      const TrainOutcome outcome = small.run(dir.path());
      EXPECT_GT(outcome.threshold, 0.0);
      EXPECT_EQ(load_model(dir.path()).config.model.threshold, outcome.threshold);
      const auto team = tensor_workers(1);
      const std::vector<Example>& set = small.prepared.split(on_dev ? "dev" : "train");
      const Evaluation e =
          summarise(set, small.last->classifier().predict(set, *team), small.config.task);
      EXPECT_NEAR(selected_share(e, small.config), 0.3, 0.01);
      EXPECT_TRUE(on_dev || outcome.threshold == outcome.best.threshold);
      for (const EpochReport& epoch : outcome.epochs) {
        // Full text first: nothing to put a threshold on.
        EXPECT_EQ(epoch.threshold > 0.0, epoch.goal < 1.0) << epoch.epoch;
        if (epoch.goal == 1.0) continue;
        EXPECT_NEAR(selected_share(epoch.dev, small.config), epoch.goal, 0.1);
      }
    }
  }
}

// What it does for the gradient is checked in objective_test.
TEST(Trainer, TheRunningBaselineIsTheMeanOfLateCosts) {
  SmallRun small;
  small.config.model.kind = ModelKind::Bernoulli;
  small.config.controller.warmup = small.config.controller.descent = 0.0;
  small.config.controller.scaled = false;
  small.config.train.epochs = 12;
  Kept kept;
  const TrainOutcome outcome =
      train_network({small.config, small.prepared.split("train"), small.prepared.split("dev"),
                     make_model(small.config, small.prepared.embedding.clone()), &kept});
  const auto state = nlohmann::json::parse(kept.state.metadata.at("state"));
  const double baseline =
      state.at("baseline_sum").get<double>() / state.at("baseline_weight").get<double>();
  // Independent gates' cost is the task's loss alone; 48 steps of memory 0.95.
  double expected = 0.0;
  double weights = 0.0;
  for (const EpochReport& epoch : outcome.epochs) {
    const double weight = std::pow(0.95, 4.0 * static_cast<double>(12 - epoch.epoch));
    expected += weight * epoch.train_loss;
    weights += weight;
  }
  EXPECT_NEAR(baseline, expected / weights, 0.03 * baseline);
}

TEST(Trainer, ADegenerateRunIsNoticed) {
  SmallRun small;
  small.config.controller.name = ControllerKind::Fixed;
  small.config.controller.lambda = 1000.0;
  small.config.train.learning_rate = 0.1;
  small.config.train.epochs = 8;
  const TempDirectory dir;
  const TrainOutcome outcome = small.run(dir.path());
  EXPECT_NE(outcome.epochs.back().alarm.find("no word is selected any more"), std::string::npos);
  EXPECT_NE(outcome.epochs.back().alarm.find("controller.lambda"), std::string::npos);
  EXPECT_NE(read_file(dir.path() / "metrics.jsonl").find("\"alarm\""), std::string::npos);
  // Open gates are no fault before they had their time to close.
  SmallRun healthy;
  healthy.config.train.epochs = 8;
  healthy.config.train.learning_rate = 1e-5;
  healthy.config.controller.warmup = healthy.config.controller.descent = 0.25;
  const TrainOutcome slow = healthy.run({});
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_GT(slow.epochs[i].dev.expected, 0.97);
    EXPECT_EQ(slow.epochs[i].alarm, "") << i;
  }
  EXPECT_NE(slow.epochs.back().alarm.find("almost every gate is open"), std::string::npos);
}

// A word that tells the label, five times of six, among words that a model can memorise.
SmallRun noisy(int64_t patience) {
  SmallRun small;
  for (auto& [name, split] : small.prepared.splits) {
    for (size_t i = 0; i < split.size(); ++i) {
      const int32_t label = i % 2 == 0 ? 0 : 1;
      for (size_t t = 0; t < split[i].words.size(); t += 2) split[i].words[t] = 3 + label;
      split[i].target = i % 6 == 0 ? 1 - label : label;
    }
  }
  small.config.train.epochs = 40;
  small.config.train.learning_rate = 0.02;
  small.config.controller.warmup = 0.7;
  small.config.controller.patience = patience;
  return small;
}

TEST(Trainer, TheGoalComesDownOnceTextsAreLearnedByHeart) {
  const auto full_text_epochs = [](int64_t patience) {
    const TrainOutcome outcome = noisy(patience).run({});
    int epochs = 0;
    while (epochs < 40 && outcome.epochs[static_cast<size_t>(epochs)].train_rate == 1.0) ++epochs;
    return epochs;
  };
  EXPECT_EQ(full_text_epochs(0), 28);
  const int early = full_text_epochs(2);
  EXPECT_GT(early, 3);
  EXPECT_LT(early, 28);
  for (const int epochs : {early - 1, early + 1}) {
    SmallRun small = noisy(2);
    expect_resumed_the_same(small, 4 * epochs + 1, "around the end of the full text");
  }
}

TEST(Trainer, AWorkerMayBeLeftWithNothing) {
  SmallRun small;
  small.config.train.workers = 7;
  small.config.train.batch = 3;
  small.config.train.epochs = 2;
  EXPECT_TRUE(small.run({}).finished);
}

std::map<std::string, at::Tensor> weights_after(SmallRun& small, int64_t workers) {
  small.config.train.workers = workers;
  const auto model = make_model(small.config, small.prepared.embedding.clone());
  train_network({small.config, small.prepared.split("train"), small.prepared.split("dev"), model});
  std::map<std::string, at::Tensor> out;
  for (const auto& [name, weight] : named_weights(*model)) out[name] = weight.detach().clone();
  return out;
}

TEST(Trainer, TheNumberOfWorkersChangesOnlyRounding) {
  for (const EncoderKind encoder : {EncoderKind::Lstm, EncoderKind::Rcnn}) {
    SmallRun small;
    small.config.model.encoder = encoder;
    small.config.model.dependent = encoder == EncoderKind::Rcnn;
    small.config.controller.name = ControllerKind::Paper;  // gates from the first step
    small.config.train.epochs = 2;
    small.config.train.learning_rate = 1e-3;
    const auto one = weights_after(small, 1);
    for (const int64_t workers : {2, 3}) {
      for (const auto& [name, weight] : weights_after(small, workers)) {
        const double moved = (one.at(name) - weight).abs().max().item<double>();
        EXPECT_LT(moved, 1e-4) << name << ", " << workers << " workers";
      }
    }
  }
}

TEST(Trainer, MemoryDoesNotGrowOverEpochs) {
#ifdef HARDKUMA_SANITIZED
  GTEST_SKIP() << "the sanitizer keeps what is freed";
#endif
  keep_freed_memory();
  struct Watcher : TrainObserver {
    std::vector<int64_t> pages;
    void on_epoch(const EpochReport&) override {
      int64_t total = 0;
      int64_t resident = 0;
      std::ifstream("/proc/self/statm") >> total >> resident;
      pages.push_back(resident);
    }
  };
  for (const bool dependent : {false, true}) {
    SmallRun small;
    small.config.model.dependent = dependent;
    small.config.model.encoder = dependent ? EncoderKind::Rcnn : EncoderKind::Lstm;
    small.config.train.epochs = 60;
    Watcher watcher;
    small.run({}, false, nullptr, &watcher);
    ASSERT_EQ(watcher.pages.size(), 60u);
    // From when gates are open and buffers have found their places: less than 8 MB in 35 epochs.
    EXPECT_LT(watcher.pages[59] - watcher.pages[24], 2048);
  }
}

}  // namespace
}  // namespace hardkuma
