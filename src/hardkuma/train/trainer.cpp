#include "hardkuma/train/trainer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "hardkuma/common/clock.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/adam.h"
#include "hardkuma/train/alarm.h"
#include "hardkuma/train/checkpoint.h"
#include "hardkuma/train/controller.h"
#include "hardkuma/train/gpu_steps.h"
#include "hardkuma/train/held_rate.h"
#include "hardkuma/train/objective.h"
#include "hardkuma/train/schedule.h"

namespace hardkuma {
namespace {

constexpr size_t kProbeTexts = 2048;
constexpr int64_t kTracedPerEpoch = 20;
constexpr double kDiverged = 20.0;  // times the loss of knowing nothing

class Run {
 public:
  explicit Run(const TrainJob& job)
      : job_(job),
        config_(job.config),
        model_(job.model),
        workers_(tensor_workers(model_->on_gpu()             ? 1
                                : config_.train.workers == 0 ? available_cores()
                                                             : config_.train.workers)),
        parameters_(model_->trained_parameters()),
        adam_(parameters_, config_.train.weight_decay),
        schedule_(config_.train),
        steps_per_epoch_(
            std::max<int64_t>(1, (examples() + config_.train.batch - 1) / config_.train.batch)),
        controller_(config_, steps_per_epoch_ * config_.train.epochs),
        slots_(static_cast<size_t>(workers_->count())),
        gradients_(slots_.size()) {
    // The published controller's constants are for the bare loss.
    const bool scaled = config_.controller.name == "default" && config_.controller.scaled;
    trivial_ = trivial_loss(job.train, config_);
    scale_ = scaled ? trivial_ : 1.0;
    if (model_->on_gpu() && model_->recordable()) {
      gpu_ = std::make_unique<GpuSteps>(*model_, adam_, parameters_, config_.objective.samples,
                                        config_.train.clip);
    }
    choose_probe();
    set_threshold(0.0);  // an earlier end of this run may have found one
  }

  TrainOutcome run() {
    if (job_.resume) restore();
    started_ = last_checkpoint_ = Clock::now();
    for (; state_.epoch < config_.train.epochs; ++state_.epoch) {
      if (!run_epoch()) {
        checkpoint();
        return outcome(/*finished=*/false);
      }
      finish_epoch();
    }
    load_weights(*model_, best_weights_, "the chosen checkpoint");
    TrainOutcome out = outcome(/*finished=*/true);
    out.threshold = best().threshold;
    if (thresholded() && config_.train.calibrate) {
      out.threshold = nearest_threshold(out.threshold, predict_all(*model_, job_.dev, *workers_),
                                        config_.objective.target, share_of(config_));
    }
    set_threshold(out.threshold);
    return out;
  }

 private:
  struct Slot {
    Batch batch;
    TrainingTerms terms;
  };

  // Fixed weights aim at no target, and the paper's rule and controller are to be as published.
  bool thresholded() const {
    return gated() && config_.controller.name == "default" && config_.model.decision == "binary";
  }

  void set_threshold(double threshold) {
    Choice choice = model_->choice();
    choice.threshold = threshold;
    model_->set_choice(choice);
  }

  int64_t examples() const { return static_cast<int64_t>(job_.train.size()); }
  int64_t global_step() const { return state_.epoch * steps_per_epoch_ + state_.step; }
  bool gated() const { return model_->gated(); }
  // What is selected without gates: all, or attention's share.
  double given_rate() const { return model_->selects() ? config_.objective.target : 1.0; }
  RandomKey key() const { return RandomKey(static_cast<uint64_t>(config_.train.seed)); }

  void choose_probe() {
    if (!thresholded()) return;
    const std::vector<int64_t> order = shuffled_indices(examples(), key().with(kShuffleStream));
    for (size_t i = 0; i < std::min(order.size(), kProbeTexts); ++i) {
      probe_.push_back(job_.train[static_cast<size_t>(order[i])]);
    }
  }

  // Where some training texts' probabilities leave the share that is aimed at now. The rate that
  // gates expect of themselves is held; what is likeliest of each may be far from it, all or
  // nothing, where many are undecided.
  void probe() {
    if (probe_.empty() || controller_.warming_up(global_step() - 1)) return;
    set_threshold(calibrated_threshold(predict_all(*model_, probe_, *workers_), controller_.goal(),
                                       share_of(config_)));
    if (gpu_ && config_.controller.settle > 0.0) gpu_->forget();  // steps are recorded with it
  }

  Batch batch_of(const std::vector<int64_t>& indices) const {
    const Batch batch = pack(job_.train, indices);
    return model_->on_gpu() ? batch.to(model_->device()) : batch;
  }

  // False when stopped on request.
  bool run_epoch() {
    const Support support = controller_.support(state_.epoch * steps_per_epoch_);
    if (support.l != support_.l) {
      support_ = support;
      model_->set_drawn_support(support);
      if (gpu_) gpu_->forget();
    }
    const auto batches =
        training_batches(job_.train, config_.train.batch,
                         key().with(kShuffleStream).with(static_cast<uint64_t>(state_.epoch)));
    for (; state_.step < steps_per_epoch_;) {
      if (job_.stop != nullptr && job_.stop->load()) return false;
      const std::vector<int64_t>& batch = batches[static_cast<size_t>(state_.step)];
      if (gpu_) {
        recorded_step(batch);
      } else {
        step(batch);
      }
      ++state_.step;
      steps_done_ += 1;
      report_step(static_cast<int64_t>(batch.size()));
      if (!job_.directory.empty() && seconds_since(last_checkpoint_) > job_.checkpoint_seconds) {
        checkpoint();
      }
    }
    return true;
  }

  // On a GPU: packs while the last step is computed.
  void recorded_step(const std::vector<int64_t>& indices) {
    const Batch batch = pack(job_.train, indices);
    const Gates gates = gates_at(global_step());
    set_rates(gates);
    const StepSums sums =
        gpu_->forward(batch, key().with(static_cast<uint64_t>(global_step())), gates);
    if (sums.kernels > 0) gpu_use_.kernels = sums.kernels;
    gpu_use_.waited += sums.waited;
    if (!std::isfinite(sums.norm)) diverged("the gradient is not finite");
    const double share = 1.0 / static_cast<double>(batch.examples());
    GpuSteps::Weights weights{
        share / scale_, weigh(sums.task * share, sums.rate * share, sums.transitions * share, gates,
                              batch.examples())};
    for (double* weight : {&weights.others.rate, &weights.others.lasso, &weights.others.rails}) {
      *weight *= share;
    }
    gpu_->back(weights, schedule_.learning_rate());
  }

  // The classifier slower, the less it is shown (Liu et al. 2023, "DR"): it would else believe in
  // whatever the selector happens to choose first.
  void set_rates(Gates gates) {
    if (config_.train.predictor_rate != "share" || !gated()) return;
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

  bool constrained(Gates gates) const { return gated() && gates != Gates::Open; }

  // Takes note of what a step measured, per text, and asks the controller how to weigh it.
  Controller::Weights weigh(double task, double rate, double transitions, Gates gates,
                            int64_t count) {
    check_loss(task);
    const double shown = constrained(gates) ? rate : gated() ? 1.0 : given_rate();
    state_.loss_sum += task * static_cast<double>(count);
    state_.rate_sum += shown * static_cast<double>(count);
    state_.seen += count;
    if (!constrained(gates)) return {};
    const Controller::Weights weights = controller_.update(global_step(), rate, transitions);
    trace(global_step(), rate);
    return weights;
  }

  // A few steps of each epoch as they were, for pictures.
  void trace(int64_t step, double rate) {
    const int64_t every = std::max<int64_t>(1, steps_per_epoch_ / kTracedPerEpoch);
    if (step % every != 0) return;
    state_.trace.push_back({step, rate, controller_.goal(), controller_.lambda()});
  }

  void step(const std::vector<int64_t>& batch) {
    const auto count = static_cast<int64_t>(batch.size());
    const double share = 1.0 / static_cast<double>(count);
    const Gates gates = gates_at(global_step());
    set_rates(gates);
    forward(batch, gates);
    const Objective objective = objective_of(count, gates);
    // The baseline learns of these costs only after they were used: it would bias the gradient.
    const double cost = mean_cost(objective, share);
    backward(objective, share);
    if (objective.constrained) state_.baseline.add(cost);
    const double norm =
        adam_.step(gradients_, schedule_.learning_rate(), config_.train.clip, *workers_);
    if (!std::isfinite(norm)) diverged("the gradient is not finite");
  }

  Gates gates_at(int64_t step) const {
    if (!gated()) return Gates::Drawn;
    if (controller_.warming_up(step)) return Gates::Open;
    return controller_.settling(step) ? Gates::Decided : Gates::Drawn;
  }

  void forward(const std::vector<int64_t>& batch, Gates gates) {
    const RandomKey step_key = key().with(static_cast<uint64_t>(global_step()));
    workers_->run([&](int64_t w) {
      Slot& slot = slots_[static_cast<size_t>(w)];
      slot = {};
      gradients_[static_cast<size_t>(w)].clear();
      // Texts are sorted by length: dealing them out gives every worker the same work.
      std::vector<int64_t> own;
      for (auto i = static_cast<size_t>(w); i < batch.size();
           i += static_cast<size_t>(workers_->count())) {
        own.push_back(batch[i]);
      }
      if (own.empty()) return;
      slot.batch = batch_of(own);
      slot.terms = model_->train_forward(slot.batch, step_key, config_.objective.samples, gates);
    });
  }

  // Adds the workers' terms up and asks the controller what they weigh.
  Objective objective_of(int64_t count, Gates gates) {
    const auto texts = static_cast<double>(count);
    double sums[3] = {};  // task, rate, transitions
    for (const Slot& slot : slots_) {
      if (!slot.terms.task.defined()) continue;
      std::vector<at::Tensor> terms{slot.terms.task.detach()};
      for (const at::Tensor& term : {slot.terms.rate, slot.terms.transitions}) {
        if (term.defined()) terms.push_back(term.detach());
      }
      // A GPU is waited for once a step, here.
      const at::Tensor here = at::stack(terms).to(at::kCPU, at::kDouble);
      for (size_t i = 0; i < terms.size(); ++i) {
        sums[i] += here.data_ptr<double>()[i] / texts;
      }
    }
    Objective objective;
    objective.scale = scale_;
    objective.constrained = constrained(gates);
    objective.weights = weigh(sums[0], sums[1], sums[2], gates, count);
    objective.samples = config_.objective.samples;
    objective.dependent = model_->dependent();
    objective.counted = counts_selected(config_);
    if (config_.objective.baseline == "running") objective.baseline = state_.baseline.value();
    objective.leave_one_out = config_.objective.baseline == "others";
    return objective;
  }

  // What REINFORCE multiplies, on average; 0 for other gates.
  double mean_cost(const Objective& objective, double share) const {
    double cost = 0.0;
    for (const Slot& slot : slots_) {
      if (!slot.terms.score.task.defined()) continue;
      cost += text_costs(slot.terms.score, objective).sum().item<double>();
    }
    return cost * share / static_cast<double>(config_.objective.samples);
  }

  void backward(const Objective& objective, double share) {
    workers_->run([&](int64_t w) {
      Slot& slot = slots_[static_cast<size_t>(w)];
      if (!slot.terms.task.defined()) return;
      const at::Tensor loss = loss_of(slot.terms, objective) * share;
      gradients_[static_cast<size_t>(w)] =
          torch::autograd::grad({loss}, parameters_, {}, c10::nullopt,
                                /*create_graph=*/false, /*allow_unused=*/true);
      slot = {};
    });
  }

  void check_loss(double task) {
    if (!std::isfinite(task)) diverged("the loss is not finite");
    state_.loss_average =
        state_.loss_average == 0.0 ? task : 0.98 * state_.loss_average + 0.02 * task;
    // Not the constant prediction's loss: on skewed labels an untrained model is far above that.
    const double ignorant =
        config_.task.regression ? 1.0 : std::log(static_cast<double>(config_.task.outputs()));
    if (state_.loss_average > kDiverged * ignorant) {
      diverged(fmt::format("the loss {:.3g} is far above that of an untrained model, {:.3g}",
                           state_.loss_average, ignorant));
    }
  }

  // Of a GPU's steps, which are not waited for.
  void check_norm() {
    if (model_->on_gpu() && !std::isfinite(adam_.norm())) diverged("a gradient is not finite");
  }

  [[noreturn]] void diverged(const std::string& what) {
    throw InputError(
        "training diverged at epoch {}, step {}: {}; {} try a lower train.learning_rate",
        state_.epoch + 1, state_.step + 1, what,
        job_.directory.empty() || best_weights_.empty()
            ? ""
            : "the last good model is kept in " + job_.directory.string() + ";");
  }

  void finish_epoch() {
    check_norm();
    EpochReport report;
    report.epoch = state_.epoch + 1;
    report.epochs = config_.train.epochs;
    report.steps = global_step();
    report.train_loss = state_.loss_sum / static_cast<double>(state_.seen);
    report.train_rate = state_.rate_sum / static_cast<double>(state_.seen);
    report.goal = gated() ? controller_.goal() : given_rate();
    report.lambda = controller_.lambda();
    report.learning_rate = schedule_.learning_rate();
    probe();
    report.threshold = model_->choice().threshold;
    const auto predictions = predict_all(*model_, job_.dev, *workers_);
    report.dev = summarise(job_.dev, predictions, config_.task);
    if (model_->selects()) report.alarm = alarm_of(predictions);
    controller_.epoch_done(global_step(), report.train_loss, report.dev.task_loss, trivial_);
    // Models without gates keep the calendar, too, so that they compare with those that have them.
    const bool settled = !controller_.descending(global_step());
    schedule_.epoch_done(report.epoch, report.dev.task_loss, settled);
    const bool first = epochs_.empty() || best_weights_.empty();
    report.chosen = first || better_checkpoint(report.dev, best().dev, config_);
    if (report.chosen) {
      for (const auto& [name, weight] : named_weights(*model_)) {
        best_weights_[name] = weight.detach().clone();
      }
      // Before the checkpoint that speaks of it: a kill in between only repeats the epoch.
      if (!job_.directory.empty()) save_weights(job_.directory, *model_);
    }
    report.trace = std::move(state_.trace);
    state_.trace.clear();
    epochs_.push_back(report);
    state_.step = 0;
    state_.loss_sum = state_.rate_sum = 0.0;
    state_.seen = 0;
    if (job_.observer != nullptr) job_.observer->on_epoch(report);
    ++state_.epoch;
    checkpoint();
    --state_.epoch;
  }

  // Open gates are no fault before they had their time to close.
  std::string alarm_of(const std::vector<ExamplePrediction>& predictions) const {
    if (gated() && controller_.warming_up(global_step() - 1)) return "";
    const Degeneration found = degeneration(job_.dev, predictions);
    const bool early =
        !gated() || controller_.descending(global_step()) ||
        (config_.controller.name != "default" && 2 * (state_.epoch + 1) < config_.train.epochs);
    return found == Degeneration::Everything && early ? "" : advice(found, config_);
  }

  const EpochReport& best() const {
    for (auto report = epochs_.rbegin(); report != epochs_.rend(); ++report) {
      if (report->chosen) return *report;
    }
    throw InternalError("[train] no checkpoint was chosen");
  }

  TrainOutcome outcome(bool finished) const {
    return {finished, epochs_.empty() ? EpochReport{} : best(), epochs_, gpu_use_, 0.0};
  }

  void report_step(int64_t count) {
    examples_done_ += count;
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

  void checkpoint() {
    check_norm();
    if (job_.directory.empty()) return;
    state_.schedule = schedule_.save();
    state_.controller = controller_.save();
    write_checkpoint(job_.directory, {state_, epochs_, *model_, adam_});
    last_checkpoint_ = Clock::now();
  }

  void restore() {
    const bool found = read_checkpoint(job_.directory, {state_, epochs_, *model_, adam_});
    if (!found) return;
    schedule_.load(state_.schedule);
    controller_.load(state_.controller);
    if (epochs_.empty()) return;
    set_threshold(epochs_.back().threshold);
    const SavedModel saved = load_model(job_.directory);
    for (const auto& [name, weight] : named_weights(*saved.model)) best_weights_[name] = weight;
  }

  const TrainJob& job_;
  const Config& config_;
  std::shared_ptr<TextModel> model_;
  std::unique_ptr<Workers> workers_;
  std::vector<at::Tensor> parameters_;
  Adam adam_;
  Schedule schedule_;
  int64_t steps_per_epoch_;
  Controller controller_;
  double trivial_ = 1.0;  // the loss of knowing nothing
  double scale_ = 1.0;
  std::vector<Slot> slots_;
  std::vector<std::vector<at::Tensor>> gradients_;  // of each worker
  std::vector<Example> probe_;
  Support support_;  // of what is drawn
  TrainState state_;
  std::vector<EpochReport> epochs_;
  std::map<std::string, at::Tensor> best_weights_;
  Clock::time_point started_;
  Clock::time_point last_checkpoint_;
  int64_t steps_done_ = 0;
  int64_t examples_done_ = 0;
  GpuUse gpu_use_;
  std::unique_ptr<GpuSteps> gpu_;  // null: step by step
};

}  // namespace

TrainOutcome train(const TrainJob& job) {
  return Run(job).run();
}

}  // namespace hardkuma
