#include "hardkuma/train/trainer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "hardkuma/common/clock.h"
#include "hardkuma/common/error.h"
#include "hardkuma/eval/calibration.h"
#include "hardkuma/model/predictor.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/alarm.h"
#include "hardkuma/train/checkpoint.h"
#include "hardkuma/train/checkpoint_choice.h"
#include "hardkuma/train/controller.h"
#include "hardkuma/train/divergence.h"
#include "hardkuma/train/schedule.h"
#include "hardkuma/train/step_engine.h"

namespace hardkuma {
namespace {

constexpr size_t kProbeTexts = 2048;
constexpr int64_t kTracedPerEpoch = 20;

int64_t steps_per_epoch(const TrainJob& job) {
  const auto examples = static_cast<int64_t>(job.train.size());
  return std::max<int64_t>(1, (examples + job.config.train.batch - 1) / job.config.train.batch);
}

// The training loop. The engine runs the steps; the controller weights the loss's terms.
class Run {
 public:
  explicit Run(const TrainJob& job)
      : job_(job),
        config_(job.config),
        model_(job.model),
        workers_(tensor_workers(model_->on_gpu()             ? 1
                                : config_.train.workers == 0 ? available_cores()
                                                             : config_.train.workers)),
        adam_(model_->trained_parameters(), config_.train.weight_decay),
        schedule_(config_.train),
        steps_per_epoch_(steps_per_epoch(job)),
        controller_(config_, steps_per_epoch_ * config_.train.epochs),
        guard_(config_),
        trivial_(trivial_loss(job.train, config_)),
        engine_(make_step_engine({*model_, job.train, adam_, model_->trained_parameters(),
                                  config_.objective.samples, config_.train.clip},
                                 *workers_, job.peers != nullptr ? *job.peers : alone_)) {
    // The published controller's constants are for the unscaled loss.
    if (config_.controller.name == ControllerKind::Default && config_.controller.scaled) {
      scale_ = trivial_;
    }
    choose_probe();
    set_threshold(0.0);  // an earlier part of this run may have found one
  }

  TrainOutcome run() {
    restore_checkpoint();
    started_ = last_checkpoint_ = Clock::now();
    while (state_.epoch < config_.train.epochs) {
      if (!run_epoch()) {
        save_checkpoint(/*chosen=*/false);
        return outcome(/*finished=*/false);
      }
      finish_epoch();
    }
    load_weights(*model_, best_weights_, "the chosen checkpoint");
    TrainOutcome out = outcome(/*finished=*/true);
    out.threshold = best().threshold;
    set_threshold(out.threshold);
    const bool thresholds = finds_threshold(config_) && config_.train.calibrate;
    const bool scales = config_.train.temperature && !config_.task.regression;
    std::vector<ExamplePrediction> dev;
    if (thresholds || scales) dev = predict_all(*model_, job_.dev, *workers_);
    if (thresholds) {
      out.threshold =
          nearest_threshold(out.threshold, dev, config_.objective.target, config_.objective.share);
    }
    if (scales) {
      if (out.threshold != model_->choice().threshold) {
        set_threshold(out.threshold);
        dev = predict_all(*model_, job_.dev, *workers_);
      }
      out.temperature = best_temperature(job_.dev, dev);
      model_->set_temperature(out.temperature);
    }
    set_threshold(out.threshold);
    return out;
  }

 private:
  void set_threshold(double threshold) {
    Choice choice = model_->choice();
    choice.threshold = threshold;
    model_->set_choice(choice);
  }

  int64_t examples() const { return static_cast<int64_t>(job_.train.size()); }
  int64_t global_step() const { return state_.epoch * steps_per_epoch_ + state_.step; }
  bool gated() const { return model_->gated(); }
  // The selected share of models without gates: all, or the target of attention.
  double given_rate() const { return model_->selects() ? config_.objective.target : 1.0; }
  RandomKey key() const { return RandomKey(static_cast<uint64_t>(config_.train.seed)); }

  void choose_probe() {
    if (!finds_threshold(config_)) return;
    const std::vector<int64_t> order = shuffled_indices(examples(), key().with(kShuffleStream));
    for (size_t i = 0; i < std::min(order.size(), kProbeTexts); ++i) {
      probe_.push_back(job_.train[static_cast<size_t>(order[i])]);
    }
  }

  // Finds the threshold that selects the goal's share of a sample of the training texts. The
  // controller holds the expected rate only: while many gates are undecided, their likeliest values
  // may select everything or nothing.
  void move_threshold() {
    if (probe_.empty() || controller_.warming_up(global_step() - 1)) return;
    set_threshold(calibrated_threshold(predict_all(*model_, probe_, *workers_), controller_.goal(),
                                       config_.objective.share));
    if (config_.controller.settle > 0.0) engine_->model_changed();  // its gates are decided by it
  }

  // False when stopped on request.
  bool run_epoch() {
    const Support support = controller_.support(state_.epoch * steps_per_epoch_);
    if (support.l != support_.l) {
      support_ = support;
      model_->set_drawn_support(support);
      engine_->model_changed();
    }
    const auto batches =
        training_batches(job_.train, config_.train.batch,
                         key().with(kShuffleStream).with(static_cast<uint64_t>(state_.epoch)));
    while (state_.step < steps_per_epoch_) {
      if (job_.stop != nullptr && job_.stop->load()) return false;
      const std::vector<int64_t>& batch = batches[static_cast<size_t>(state_.step)];
      run_step(batch);
      ++state_.step;
      ++steps_done_;
      examples_done_ += static_cast<int64_t>(batch.size());
      report_step();
      if (job_.store != nullptr && seconds_since(last_checkpoint_) > job_.checkpoint_seconds) {
        save_checkpoint(/*chosen=*/false);
      }
    }
    return true;
  }

  void run_step(const std::vector<int64_t>& batch) {
    guard_.at(state_.epoch, state_.step);
    const Gates gates = gates_at(global_step());
    set_predictor_rate(gates);
    const MeasuredStep measured =
        engine_->measure({batch, key().with(static_cast<uint64_t>(global_step())), gates});
    guard_.check_loss(measured.task);
    count(measured, gates, static_cast<int64_t>(batch.size()));
    Objective objective = objective_for(gates);
    if (objective.constrained) {
      objective.weights = controller_.update(global_step(), measured.rate, measured.transitions);
      trace(measured.rate);
    }
    // Adds the costs only after the step: a baseline that contains them would bias the gradient.
    const double cost = engine_->mean_cost(objective);
    guard_.check_gradient(engine_->apply(objective, schedule_.learning_rate()));
    if (objective.constrained) state_.baseline.add(cost);
  }

  Gates gates_at(int64_t step) const {
    if (!gated()) return Gates::Drawn;
    if (controller_.warming_up(step)) return Gates::Open;
    return controller_.settling(step) ? Gates::Decided : Gates::Drawn;
  }

  bool constrained(Gates gates) const { return gated() && gates != Gates::Open; }

  // The less the classifier is shown, the lower its learning rate (Liu et al. 2023, "DR"), so that
  // it does not overfit to the selector's first selections.
  void set_predictor_rate(Gates gates) {
    if (config_.train.predictor_rate != PredictorRate::Share || !gated()) return;
    const double share = gates == Gates::Open ? 1.0 : controller_.goal();
    std::vector<double> scales;
    for (const auto& item : model_->named_parameters()) {
      if (!item.value().requires_grad()) continue;
      const bool predictor =
          item.key().starts_with("classifier") || item.key().starts_with("output");
      scales.push_back(predictor ? share : 1.0);
    }
    adam_.set_scales(std::move(scales));
  }

  void count(const MeasuredStep& measured, Gates gates, int64_t texts) {
    const double rate = constrained(gates) ? measured.rate : gated() ? 1.0 : given_rate();
    state_.loss_sum += measured.task * static_cast<double>(texts);
    state_.rate_sum += rate * static_cast<double>(texts);
    state_.seen += texts;
  }

  // Records a few steps of each epoch, for charts.
  void trace(double rate) {
    const int64_t every = std::max<int64_t>(1, steps_per_epoch_ / kTracedPerEpoch);
    if (global_step() % every != 0) return;
    state_.trace.push_back({global_step(), rate, controller_.goal(), controller_.lambda()});
  }

  // All but the weights of the terms, which depend on the measurements.
  Objective objective_for(Gates gates) const {
    Objective objective;
    objective.scale = scale_;
    objective.constrained = constrained(gates);
    objective.samples = config_.objective.samples;
    objective.dependent = model_->dependent();
    objective.counted = counts_selected(config_);
    if (config_.objective.baseline == Baseline::Running) {
      objective.baseline = state_.baseline.value();
    }
    objective.leave_one_out = config_.objective.baseline == Baseline::Others;
    return objective;
  }

  // Measures dev, and makes it the chosen epoch if it is the best.
  EpochReport measure_epoch(std::vector<ExamplePrediction>& predictions) {
    EpochReport report;
    report.epoch = state_.epoch + 1;
    report.epochs = config_.train.epochs;
    report.steps = global_step();
    report.train_loss = state_.loss_sum / static_cast<double>(state_.seen);
    report.train_rate = state_.rate_sum / static_cast<double>(state_.seen);
    report.goal = gated() ? controller_.goal() : given_rate();
    report.lambda = controller_.lambda();
    report.learning_rate = schedule_.learning_rate();
    report.threshold = model_->choice().threshold;
    predictions = predict_all(*model_, job_.dev, *workers_);
    report.dev = summarise(job_.dev, predictions, config_.task);
    if (model_->selects()) report.alarm = alarm_of(predictions);
    report.chosen = epochs_.empty() || best_weights_.empty() ||
                    better_checkpoint(report.dev, best().dev, config_);
    return report;
  }

  void finish_epoch() {
    guard_.at(state_.epoch, state_.step);
    guard_.check_gradient(engine_->settle());
    move_threshold();
    std::vector<ExamplePrediction> predictions;
    EpochReport report = measure_epoch(predictions);
    controller_.epoch_done(global_step(), report.train_loss, report.dev.task_loss, trivial_);
    // Models without gates follow the same warm-up and descent, so that results are comparable.
    const bool settled = !controller_.descending(global_step());
    schedule_.epoch_done(report.epoch, report.dev.task_loss, settled);
    if (report.chosen) {
      for (const auto& [name, weight] : named_weights(*model_)) {
        best_weights_[name] = weight.detach().clone();
      }
    }
    report.trace = std::move(state_.trace);
    epochs_.push_back(std::move(report));
    begin_epoch(state_.epoch + 1);
    save_checkpoint(epochs_.back().chosen);
    if (job_.observer != nullptr) job_.observer->on_epoch(epochs_.back());
  }

  void begin_epoch(int64_t epoch) {
    state_.epoch = epoch;
    state_.step = 0;
    state_.loss_sum = state_.rate_sum = 0.0;
    state_.seen = 0;
    state_.trace.clear();
  }

  // Open gates raise no alarm before they had time to close.
  std::string alarm_of(const std::vector<ExamplePrediction>& predictions) const {
    if (gated() && controller_.warming_up(global_step() - 1)) return "";
    const Degeneration found = degeneration(job_.dev, predictions);
    const bool early = !gated() || controller_.descending(global_step()) ||
                       (config_.controller.name != ControllerKind::Default &&
                        2 * (state_.epoch + 1) < config_.train.epochs);
    return found == Degeneration::Everything && early ? "" : advice(found, config_);
  }

  const EpochReport& best() const {
    for (auto report = epochs_.rbegin(); report != epochs_.rend(); ++report) {
      if (report->chosen) return *report;
    }
    throw InternalError("[train] no checkpoint was chosen");
  }

  TrainOutcome outcome(bool finished) const {
    return {finished, epochs_.empty() ? EpochReport{} : best(), epochs_, engine_->use(), 0.0};
  }

  void report_step() const {
    if (job_.observer == nullptr) return;
    const double elapsed = seconds_since(started_);
    const int64_t left = steps_per_epoch_ * config_.train.epochs - global_step();
    StepReport report;
    report.epoch = state_.epoch + 1;
    report.epochs = config_.train.epochs;
    report.step = state_.step;
    report.steps = steps_per_epoch_;
    const auto seen = static_cast<double>(state_.seen);
    report.loss = state_.loss_sum / seen;
    report.rate = state_.rate_sum / seen;
    report.lambda = controller_.lambda();
    report.examples_per_second = static_cast<double>(examples_done_) / std::max(elapsed, 1e-9);
    report.seconds_left = elapsed / static_cast<double>(steps_done_) * static_cast<double>(left);
    job_.observer->on_step(report);
  }

  void save_checkpoint(bool chosen) {
    guard_.check_gradient(engine_->settle());
    if (job_.store == nullptr) return;
    state_.schedule = schedule_.save();
    state_.controller = controller_.save();
    state_.loss_average = guard_.average();
    const TensorFile state = checkpoint_of({state_, epochs_, *model_, adam_});
    job_.store->save({state, epochs_, chosen ? &best_weights_ : nullptr});
    if (!best_weights_.empty()) guard_.set_kept(job_.store->kept());
    last_checkpoint_ = Clock::now();
  }

  void restore_checkpoint() {
    if (job_.store == nullptr) return;
    std::optional<TrainStore::Saved> saved = job_.store->load();
    if (!saved) return;
    restore(saved->state, {state_, epochs_, *model_, adam_}, saved->name);
    const bool possible = state_.epoch >= 0 && state_.epoch <= config_.train.epochs &&
                          state_.step >= 0 && state_.step <= steps_per_epoch_ && state_.seen >= 0 &&
                          state_.seen <= examples() &&
                          static_cast<int64_t>(epochs_.size()) == state_.epoch;
    if (!possible) throw InputError("{}: not a checkpoint of this run", saved->name);
    schedule_.load(state_.schedule);
    controller_.load(state_.controller);
    guard_.set_average(state_.loss_average);
    if (epochs_.empty()) return;
    set_threshold(epochs_.back().threshold);
    best_weights_ = std::move(saved->chosen);
    guard_.set_kept(job_.store->kept());
  }

  const TrainJob& job_;
  const Config& config_;
  std::shared_ptr<TextModel> model_;
  std::unique_ptr<Workers> workers_;
  Adam adam_;
  Schedule schedule_;
  int64_t steps_per_epoch_;
  Controller controller_;
  DivergenceGuard guard_;
  double trivial_;      // the best constant prediction's loss
  double scale_ = 1.0;  // divides the task loss
  Peers alone_;
  std::unique_ptr<StepEngine> engine_;
  std::vector<Example> probe_;
  Support support_;  // of samples
  TrainState state_;
  std::vector<EpochReport> epochs_;
  Weights best_weights_;
  Clock::time_point started_;
  Clock::time_point last_checkpoint_;
  int64_t steps_done_ = 0;
  int64_t examples_done_ = 0;
};

}  // namespace

TrainOutcome train_network(const TrainJob& job) {
  return Run(job).run();
}

}  // namespace hardkuma
