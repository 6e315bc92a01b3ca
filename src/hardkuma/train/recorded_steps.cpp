#include "hardkuma/train/recorded_steps.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "hardkuma/common/clock.h"
#include "hardkuma/nn/cuda/graph.h"

namespace hardkuma {
namespace {

constexpr size_t kMostRecordings = 200;
constexpr int64_t kRoom = kTermCount;     // for the terms of the loss
constexpr int64_t kMeasured = kRoom + 1;  // and the norm

// Pads by up to an eighth, so that many batches have the same size.
int64_t with_room(int64_t count) {
  const auto steps = std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(count, 64))) / 8;
  const auto step = static_cast<int64_t>(steps);
  return (count + step - 1) / step * step;
}

void send(const std::vector<float>& list, const at::Tensor& there) {
  const at::Tensor here =
      at::empty({there.size(0)}, at::TensorOptions(at::kFloat).pinned_memory(true));
  std::copy(list.begin(), list.end(), here.data_ptr<float>());
  there.copy_(here, /*non_blocking=*/true);
}

}  // namespace

struct RecordedSteps::Plan {
  at::Tensor memory;  // copied before the forward pass
  Batch batch;        // in `memory`, as is the key
  at::Tensor key;
  at::Tensor scalars;       // copied before the backward pass: the terms' weights, Adam's rates
  std::vector<Term> terms;  // of this plan's loss
  at::Tensor sums;          // [terms], results of the forward pass
  std::vector<bool> has_gradient;
  std::unique_ptr<on_gpu::Recording> forward;  // null: not recorded
  std::unique_ptr<on_gpu::Recording> back;
  bool too_large = false;

  at::Tensor weights() const { return scalars.slice(0, 0, sums.size(0)); }
  at::Tensor rates() const { return scalars.slice(0, kRoom); }
};

struct RecordedSteps::Running {
  on_gpu::OwnStream stream;
  on_gpu::GpuEvent done;
  at::Tensor measured;  // on the CPU
  Plan* plan = nullptr;
};

RecordedSteps::RecordedSteps(EngineParts parts)
    : parts_(std::move(parts)), running_(std::make_unique<Running>()) {
  running_->measured = at::empty({kMeasured}, at::TensorOptions(at::kFloat).pinned_memory(true));
}

RecordedSteps::~RecordedSteps() {
  try {
    model_changed();
  } catch (...) {  // the error is reported to whoever reads the results
  }
}

void RecordedSteps::pass(Plan& plan, RandomKey key, Gates gates) {
  const auto* state = reinterpret_cast<const uint64_t*>(plan.key.data_ptr<int64_t>());
  const TrainingTerms terms =
      parts_.model.train_forward(plan.batch, StepKey(key, state), parts_.samples, gates);
  plan.terms.clear();
  std::vector<at::Tensor> sums;
  for (const Term term : kTerms) {
    if (!terms[term].defined()) continue;
    plan.terms.push_back(term);
    sums.push_back(terms[term]);
  }
  plan.sums = at::stack(sums);
}

Gradients RecordedSteps::gradients(Plan& plan) {
  const at::Tensor loss = at::dot(plan.sums, plan.weights());
  Gradients out = torch::autograd::grad({loss}, parts_.parameters, {}, c10::nullopt,
                                        /*create_graph=*/false, /*allow_unused=*/true);
  plan.sums = plan.sums.detach();
  plan.has_gradient.clear();
  for (const at::Tensor& gradient : out) plan.has_gradient.push_back(gradient.defined());
  return out;
}

// A recording has memory of its own; a size for which it runs out is not recorded.
void RecordedSteps::record(Plan& plan, RandomKey key, Gates gates) {
  auto forward = std::make_unique<on_gpu::Recording>();
  auto back = std::make_unique<on_gpu::Recording>();
  try {
    forward->record([&] { pass(plan, key, gates); });
    back->record([&] { parts_.adam.queue(gradients(plan), plan.rates(), parts_.clip); });
    plan.forward = std::move(forward);
    plan.back = std::move(back);
  } catch (const c10::Error& error) {
    if (std::string(error.what()).find("out of memory") == std::string::npos) throw;
    plan.sums = at::Tensor();
    plan.too_large = true;
  }
}

// The plan for the batch's size, with the batch and the key in GPU memory.
RecordedSteps::Plan& RecordedSteps::plan_for(const Batch& batch, RandomKey key, Gates gates) {
  const int64_t rows = with_room(batch.words.size(0));
  const int64_t cells = batch.is_pairs() ? with_room(batch.pairs.cell_count()) : 0;
  const Size size{gates, batch.examples(), rows, cells};
  const uint64_t state = key.state();
  BatchUpload sent(batch, rows, cells);
  const size_t key_slice = sent.upload.add(&state, sizeof state);
  if (const auto found = plans_.find(size); found != plans_.end()) {
    Plan& plan = *found->second;
    sent.upload.send_to(plan.memory);
    if (!plan.forward && !plan.too_large) record(plan, key, gates);
    return plan;
  }
  if (plans_.size() >= kMostRecordings) model_changed();
  std::unique_ptr<Plan>& plan = plans_[size];
  plan = std::make_unique<Plan>();
  plan->memory = sent.upload.send(parts_.model.device());
  plan->batch = sent.at(plan->memory);
  plan->key = sent.upload.slice(plan->memory, key_slice, at::kLong);
  const auto count = static_cast<int64_t>(parts_.parameters.size());
  plan->scalars =
      at::empty({kRoom + 2 * count}, at::TensorOptions(at::kFloat).device(parts_.model.device()));
  return *plan;
}

MeasuredStep RecordedSteps::measure(const StepPlan& wanted) {
  const Batch batch = pack(parts_.set, wanted.examples);
  share_ = 1.0 / static_cast<double>(batch.examples());
  Plan& plan = plan_for(batch, wanted.key, wanted.gates);
  running_->plan = &plan;
  if (plan.forward) {
    plan.forward->replay();
    use_.kernels = plan.forward->kernels() + plan.back->kernels();
  } else {
    pass(plan, wanted.key, wanted.gates);
  }
  const at::Tensor& measured = running_->measured;
  measured.slice(0, 0, plan.sums.size(0)).copy_(plan.sums.detach(), /*non_blocking=*/true);
  measured.slice(0, kRoom).copy_(parts_.adam.largest(), /*non_blocking=*/true);
  running_->done.set();
  const Clock::time_point asked = Clock::now();
  running_->done.wait();
  use_.waited += seconds_since(asked);
  const float* sum = measured.data_ptr<float>();
  norm_ = sum[kRoom];
  const auto mean_of = [&](Term term) {
    const auto found = std::find(plan.terms.begin(), plan.terms.end(), term);
    return found == plan.terms.end() ? 0.0 : sum[found - plan.terms.begin()] * share_;
  };
  return {mean_of(Term::Task), mean_of(Term::Rate), mean_of(Term::Transitions)};
}

bool RecordedSteps::apply(const Objective& objective, double learning_rate) {
  if (!std::isfinite(norm_)) return false;
  Plan& plan = *running_->plan;
  std::vector<float> scalars;
  for (const Term term : plan.terms) {
    scalars.push_back(static_cast<float>(weight_of(term, objective).value_or(0.0) * share_));
  }
  scalars.resize(static_cast<size_t>(kRoom));
  if (plan.back) {
    const std::vector<float> rates = parts_.adam.count_step(plan.has_gradient, learning_rate);
    scalars.insert(scalars.end(), rates.begin(), rates.end());
    send(scalars, plan.scalars);
    plan.back->replay();
    return true;
  }
  send(scalars, plan.scalars.slice(0, 0, kRoom));
  const Gradients found = gradients(plan);
  send(parts_.adam.count_step(plan.has_gradient, learning_rate), plan.rates());
  parts_.adam.queue(found, plan.rates(), parts_.clip);
  return true;
}

bool RecordedSteps::settle() {
  return std::isfinite(parts_.adam.take_largest_norm());
}

void RecordedSteps::model_changed() {
  running_->done.set();
  running_->done.wait();  // the last step may still run
  plans_.clear();
}

}  // namespace hardkuma
