#include "hardkuma/train/worker_steps.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

namespace hardkuma {

WorkerSteps::WorkerSteps(EngineParts parts, Workers& workers, Peers& peers)
    : parts_(std::move(parts)),
      workers_(workers),
      peers_(peers),
      slots_(static_cast<size_t>(workers.count())) {}

// Texts are sorted by length, so taking turns gives every worker the same amount of work.
std::vector<int64_t> WorkerSteps::dealt_to(int64_t worker,
                                           const std::vector<int64_t>& examples) const {
  const auto all = static_cast<size_t>(workers_.count() * peers_.count());
  std::vector<int64_t> out;
  for (auto i = static_cast<size_t>(peers_.rank() * workers_.count() + worker); i < examples.size();
       i += all) {
    out.push_back(examples[i]);
  }
  return out;
}

Batch WorkerSteps::batch_of(const std::vector<int64_t>& indices) const {
  const Batch batch = pack(parts_.set, indices);
  return parts_.model.on_gpu() ? batch.to(parts_.model.device()) : batch;
}

MeasuredStep WorkerSteps::measure(const StepPlan& plan) {
  const auto texts = static_cast<double>(plan.examples.size());
  share_ = 1.0 / texts;
  workers_.run([&](int64_t w) {
    Slot& slot = slots_[static_cast<size_t>(w)];
    slot = {};
    const std::vector<int64_t> own = dealt_to(w, plan.examples);
    if (own.empty()) return;
    slot.batch = batch_of(own);
    slot.terms = parts_.model.train_forward(slot.batch, plan.key, parts_.samples, plan.gates);
  });
  MeasuredStep out;
  for (const Slot& slot : slots_) {
    if (!slot.terms.task.defined()) continue;
    std::vector<at::Tensor> terms;
    std::vector<double*> sums;
    const auto add = [&](const at::Tensor& term, double& sum) {
      if (!term.defined()) return;
      terms.push_back(term.detach());
      sums.push_back(&sum);
    };
    add(slot.terms.task, out.task);
    add(slot.terms.rate, out.rate);
    add(slot.terms.transitions, out.transitions);
    // The only point in a step that waits for a GPU.
    const at::Tensor here = at::stack(terms).to(at::kCPU, at::kDouble);
    for (size_t i = 0; i < sums.size(); ++i) *sums[i] += here.data_ptr<double>()[i] / texts;
  }
  peers_.add_up(out);
  return out;
}

double WorkerSteps::mean_cost(const Objective& objective) const {
  double cost = 0.0;
  for (const Slot& slot : slots_) {
    if (!slot.terms.score.task.defined()) continue;
    cost += text_costs(slot.terms.score, objective).sum().item<double>();
  }
  peers_.add_up(cost);
  return cost * share_ / static_cast<double>(objective.samples);
}

bool WorkerSteps::apply(const Objective& objective, double learning_rate) {
  std::vector<Gradients> gradients(slots_.size());
  workers_.run([&](int64_t w) {
    Slot& slot = slots_[static_cast<size_t>(w)];
    if (!slot.terms.task.defined()) return;
    const at::Tensor loss = loss_of(slot.terms, objective) * share_;
    gradients[static_cast<size_t>(w)] =
        torch::autograd::grad({loss}, parts_.parameters, {}, c10::nullopt,
                              /*create_graph=*/false, /*allow_unused=*/true);
    slot = {};
  });
  peers_.collect(gradients);
  return std::isfinite(parts_.adam.step(gradients, learning_rate, parts_.clip, workers_));
}

bool WorkerSteps::settle() {
  return !parts_.model.on_gpu() || std::isfinite(parts_.adam.take_largest_norm());
}

}  // namespace hardkuma
