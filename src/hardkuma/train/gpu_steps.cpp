#include "hardkuma/train/gpu_steps.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <bit>
#include <string>

#include "hardkuma/common/clock.h"
#include "hardkuma/nn/cuda/graph.h"

namespace hardkuma {
namespace {

constexpr size_t kMostRecordings = 200;
constexpr int64_t kTerms = 4;
constexpr int64_t kNumbers = kTerms + 1;  // and the norm

// Up to an eighth more, so that many batches have the same size.
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

struct GpuSteps::Plan {
  at::Tensor memory;  // what is sent before the pass forward
  Batch batch;        // in it, and so is this
  at::Tensor key;
  at::Tensor numbers;  // sent before that back: the terms' weights and Adam's rates
  at::Tensor sums;     // [terms], what the pass forward came to
  std::vector<bool> has_gradient;
  std::unique_ptr<on_gpu::Recording> forward;  // null: piece by piece
  std::unique_ptr<on_gpu::Recording> back;
  bool too_large = false;

  at::Tensor weights() const { return numbers.slice(0, 0, sums.size(0)); }
  at::Tensor rates() const { return numbers.slice(0, kTerms); }
};

struct GpuSteps::Running {
  on_gpu::OwnStream stream;
  on_gpu::Mark done;
  at::Tensor numbers;  // on the CPU
  Plan* plan = nullptr;
};

GpuSteps::GpuSteps(TextModel& model, Adam& adam, std::vector<at::Tensor> parameters,
                   int64_t samples, double clip)
    : model_(model),
      adam_(adam),
      parameters_(std::move(parameters)),
      samples_(samples),
      clip_(clip),
      running_(std::make_unique<Running>()) {
  running_->numbers = at::empty({kNumbers}, at::TensorOptions(at::kFloat).pinned_memory(true));
}

GpuSteps::~GpuSteps() {
  try {
    forget();
  } catch (...) {  // whoever reads the results is told
  }
}

// The terms of the loss, in the order of their weights.
void GpuSteps::pass(Plan& plan, RandomKey key, Gates gates) {
  const auto* state = reinterpret_cast<const uint64_t*>(plan.key.data_ptr<int64_t>());
  const TrainingTerms terms =
      model_.train_forward(plan.batch, StepKey(key, state), samples_, gates);
  std::vector<at::Tensor> all{terms.task};
  for (const at::Tensor& term : {terms.rate, terms.transitions, terms.rails}) {
    if (term.defined()) all.push_back(term);
  }
  plan.sums = at::stack(all);
}

std::vector<at::Tensor> GpuSteps::gradients(Plan& plan) {
  const at::Tensor loss = at::dot(plan.sums, plan.weights());
  std::vector<at::Tensor> out =
      torch::autograd::grad({loss}, parameters_, {}, c10::nullopt, /*create_graph=*/false,
                            /*allow_unused=*/true);
  plan.sums = plan.sums.detach();
  plan.has_gradient.clear();
  for (const at::Tensor& gradient : out) plan.has_gradient.push_back(gradient.defined());
  return out;
}

// Recordings have memory of their own; a size too large for both is done piece by piece.
void GpuSteps::record(Plan& plan, RandomKey key, Gates gates) {
  auto forward = std::make_unique<on_gpu::Recording>();
  auto back = std::make_unique<on_gpu::Recording>();
  try {
    forward->record([&] { pass(plan, key, gates); });
    back->record([&] { adam_.queue(gradients(plan), plan.rates(), clip_); });
    plan.forward = std::move(forward);
    plan.back = std::move(back);
  } catch (const c10::Error& error) {
    if (std::string(error.what()).find("out of memory") == std::string::npos) throw;
    plan.sums = at::Tensor();
    plan.too_large = true;
  }
}

// With the batch and the key in their places.
GpuSteps::Plan& GpuSteps::plan_for(const Batch& batch, RandomKey key, Gates gates) {
  const int64_t rows = with_room(batch.words.size(0));
  const int64_t cells = batch.is_pairs() ? with_room(batch.pairs.cell_count()) : 0;
  const Size size{gates, batch.examples(), rows, cells};
  const uint64_t state = key.state();
  BatchUpload sent(batch, rows, cells);
  const size_t key_part = sent.upload.add(&state, sizeof state);
  if (const auto found = plans_.find(size); found != plans_.end()) {
    Plan& plan = *found->second;
    sent.upload.send_to(plan.memory);
    if (!plan.forward && !plan.too_large) record(plan, key, gates);
    return plan;
  }
  if (plans_.size() >= kMostRecordings) forget();
  std::unique_ptr<Plan>& plan = plans_[size];
  plan = std::make_unique<Plan>();
  plan->memory = sent.upload.send(model_.device());
  plan->batch = sent.at(plan->memory);
  plan->key = sent.upload.part(plan->memory, key_part, at::kLong);
  const auto count = static_cast<int64_t>(parameters_.size());
  plan->numbers =
      at::empty({kTerms + 2 * count}, at::TensorOptions(at::kFloat).device(model_.device()));
  return *plan;
}

StepSums GpuSteps::forward(const Batch& batch, RandomKey key, Gates gates) {
  Plan& plan = plan_for(batch, key, gates);
  running_->plan = &plan;
  if (plan.forward) {
    plan.forward->replay();
  } else {
    pass(plan, key, gates);
  }
  running_->numbers.slice(0, 0, plan.sums.size(0)).copy_(plan.sums.detach(), /*non_blocking=*/true);
  running_->numbers.slice(0, kTerms).copy_(adam_.largest(), /*non_blocking=*/true);
  running_->done.set();
  const Clock::time_point asked = Clock::now();
  running_->done.wait();
  const float* number = running_->numbers.data_ptr<float>();
  StepSums out;
  out.waited = seconds_since(asked);
  out.task = number[0];
  if (plan.sums.size(0) > 1) out.rate = number[1];
  if (plan.sums.size(0) == kTerms) out.transitions = number[2];
  out.norm = number[kTerms];
  if (plan.forward) out.kernels = plan.forward->kernels() + plan.back->kernels();
  return out;
}

void GpuSteps::back(const Weights& weights, double learning_rate) {
  Plan& plan = *running_->plan;
  std::vector<float> list{static_cast<float>(weights.task)};
  if (plan.sums.size(0) > 1) {
    list.push_back(static_cast<float>(weights.others.rate));
    if (plan.sums.size(0) == kTerms) list.push_back(static_cast<float>(weights.others.lasso));
    list.push_back(static_cast<float>(weights.others.rails));
  }
  list.resize(kTerms);
  if (plan.back) {
    const std::vector<float> rates = adam_.next_rates(plan.has_gradient, learning_rate);
    list.insert(list.end(), rates.begin(), rates.end());
    send(list, plan.numbers);
    plan.back->replay();
    return;
  }
  send(list, plan.numbers.slice(0, 0, kTerms));
  const std::vector<at::Tensor> found = gradients(plan);
  send(adam_.next_rates(plan.has_gradient, learning_rate), plan.rates());
  adam_.queue(found, plan.rates(), clip_);
}

void GpuSteps::forget() {
  running_->done.set();
  running_->done.wait();  // the last step may not be over
  plans_.clear();
}

}  // namespace hardkuma
