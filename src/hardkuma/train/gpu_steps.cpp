#include "hardkuma/train/gpu_steps.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>

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

}  // namespace

struct GpuSteps::Plan {
  at::Tensor memory;  // what is sent each step
  Batch batch;        // in it, and so are these
  at::Tensor key;
  at::Tensor weights;
  at::Tensor rates;
  at::Tensor sums;  // [terms], what came of it
  bool has_rate = false;
  bool has_transitions = false;
  std::vector<bool> has_gradient;
  std::unique_ptr<on_gpu::Recording> recording;
  bool too_large = false;
};

struct GpuSteps::Running {
  on_gpu::OwnStream stream;
  on_gpu::Mark done;
  at::Tensor numbers;  // on the CPU
  const Plan* plan = nullptr;
};

GpuSteps::GpuSteps(TextModel& model, Adam& adam, std::vector<at::Tensor> parameters,
                   int64_t samples)
    : model_(model),
      adam_(adam),
      parameters_(std::move(parameters)),
      samples_(samples),
      running_(std::make_unique<Running>()) {
  running_->numbers = at::empty({kNumbers}, at::TensorOptions(at::kFloat).pinned_memory(true));
}

GpuSteps::~GpuSteps() {
  plans_.clear();
}

// The terms of the loss, in the order of their weights, and the gradients of their sum.
std::vector<at::Tensor> GpuSteps::pass(Plan& plan, RandomKey key, Gates gates) {
  const auto* state = reinterpret_cast<const uint64_t*>(plan.key.data_ptr<int64_t>());
  const TrainingTerms terms =
      model_.train_forward(plan.batch, StepKey(key, state), samples_, gates);
  std::vector<at::Tensor> all{terms.task};
  for (const at::Tensor& term : {terms.rate, terms.transitions, terms.rails}) {
    if (term.defined()) all.push_back(term);
  }
  const at::Tensor sums = at::stack(all);
  const at::Tensor loss = at::dot(sums, plan.weights.slice(0, 0, sums.size(0)));
  std::vector<at::Tensor> gradients =
      torch::autograd::grad({loss}, parameters_, {}, c10::nullopt, /*create_graph=*/false,
                            /*allow_unused=*/true);
  plan.sums = sums.detach();
  plan.has_gradient.clear();
  for (const at::Tensor& gradient : gradients) plan.has_gradient.push_back(gradient.defined());
  return gradients;
}

// Recordings have memory of their own; a size too large for both is done piece by piece.
bool GpuSteps::recorded(Plan& plan, RandomKey key, Gates gates, double clip) {
  if (plan.recording || plan.too_large) return !plan.too_large;
  auto recording = std::make_unique<on_gpu::Recording>();
  try {
    recording->record([&] { adam_.queue(pass(plan, key, gates), plan.rates, clip); });
    plan.recording = std::move(recording);
  } catch (const c10::Error& error) {
    if (std::string(error.what()).find("out of memory") == std::string::npos) throw;
    plan.too_large = true;
  }
  return !plan.too_large;
}

void GpuSteps::queue(const Batch& batch, RandomKey key, Gates gates, const Weights& weights,
                     double learning_rate, double clip) {
  const int64_t rows = with_room(batch.words.size(0));
  const int64_t cells = batch.is_pairs() ? with_room(batch.pairs.cell_count()) : 0;
  const Size size{gates, batch.examples(), rows, cells};
  const bool known = plans_.contains(size);
  if (!known && plans_.size() >= kMostRecordings) plans_.clear();
  std::unique_ptr<Plan>& plan = plans_[size];
  if (!plan) plan = std::make_unique<Plan>();

  const bool open = !model_.gated() || gates == Gates::Open;
  std::vector<float> list{static_cast<float>(weights.task)};
  if (!open) {
    list.push_back(static_cast<float>(weights.others.rate));
    if (!batch.is_pairs()) list.push_back(static_cast<float>(weights.others.lasso));
    list.push_back(static_cast<float>(weights.others.rails));
  }
  // The first time shows which parameters have a gradient.
  std::vector<float> rates(2 * parameters_.size());
  if (known) rates = adam_.next_rates(plan->has_gradient, learning_rate);
  const uint64_t state = key.state();
  BatchUpload sent(batch, rows, cells);
  const size_t key_part = sent.upload.add(&state, sizeof state);
  const size_t weights_part =
      sent.upload.add(list.data(), static_cast<int64_t>(list.size() * sizeof(float)),
                      kTerms * static_cast<int64_t>(sizeof(float)));
  const size_t rates_part =
      sent.upload.add(rates.data(), static_cast<int64_t>(rates.size() * sizeof(float)));
  if (known) {
    sent.upload.send_to(plan->memory);
  } else {
    plan->memory = sent.upload.send(model_.device());
    plan->batch = sent.at(plan->memory);
    plan->key = sent.upload.part(plan->memory, key_part, at::kLong);
    plan->weights = sent.upload.part(plan->memory, weights_part, at::kFloat);
    plan->rates = sent.upload.part(plan->memory, rates_part, at::kFloat);
  }
  if (!known) {
    const std::vector<at::Tensor> gradients = pass(*plan, key, gates);
    rates = adam_.next_rates(plan->has_gradient, learning_rate);
    Upload late;
    late.add(rates.data(), static_cast<int64_t>(rates.size() * sizeof(float)));
    plan->rates.copy_(late.part(late.send(model_.device()), 0, at::kFloat));
    adam_.queue(gradients, plan->rates, clip);
  } else if (recorded(*plan, key, gates, clip)) {
    plan->recording->replay();
  } else {
    adam_.queue(pass(*plan, key, gates), plan->rates, clip);
  }
  plan->has_rate = !open;
  plan->has_transitions = !open && !batch.is_pairs();
  running_->numbers.slice(0, 0, plan->sums.size(0)).copy_(plan->sums, /*non_blocking=*/true);
  running_->numbers.slice(0, kTerms, kNumbers).copy_(adam_.largest(), /*non_blocking=*/true);
  running_->done.set();
  running_->plan = plan.get();
}

void GpuSteps::forget() {
  plans_.clear();
}

StepSums GpuSteps::wait() {
  const Clock::time_point asked = Clock::now();
  running_->done.wait();
  const float* number = running_->numbers.data_ptr<float>();
  StepSums out;
  out.waited = seconds_since(asked);
  out.task = number[0];
  if (running_->plan->has_rate) out.rate = number[1];
  if (running_->plan->has_transitions) out.transitions = number[2];
  out.norm = number[kTerms];
  if (running_->plan->recording) out.kernels = running_->plan->recording->kernels();
  return out;
}

}  // namespace hardkuma
