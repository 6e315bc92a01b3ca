#include "hardkuma/train/svm.h"

#include <ATen/Functions.h>
#include <linear.h>

#include <memory>

#include "hardkuma/common/error.h"
#include "hardkuma/eval/evaluation.h"

namespace hardkuma {
namespace {

constexpr double kCosts[] = {0.03, 0.1, 0.3, 1.0, 3.0, 10.0};
constexpr double kTube = 0.05;  // smaller errors of a regression cost nothing

// The training texts as liblinear wants them, for one output at a time.
class Problem {
 public:
  Problem(const NgramSvm& svm, const std::vector<Example>& train) : targets_(train.size()) {
    const auto bias = static_cast<int>(svm.feature_count()) + 1;
    for (const Example& example : train) {
      std::vector<feature_node> nodes;
      for (const auto& [number, value] : svm.features(example))
        nodes.push_back({number + 1, value});
      nodes.push_back({bias, 1.0});
      nodes.push_back({-1, 0.0});
      nodes_.push_back(std::move(nodes));
    }
    for (auto& nodes : nodes_) rows_.push_back(nodes.data());
    problem_.l = static_cast<int>(train.size());
    problem_.n = bias;
    problem_.x = rows_.data();
    problem_.y = targets_.data();
    problem_.bias = 1.0;
  }

  // Writes the weight of each feature, then the bias.
  template <typename Target>
  void solve(bool regression, double cost, const Target& target, double* weights) {
    for (size_t i = 0; i < targets_.size(); ++i) targets_[i] = target(i);
    parameter settings{};
    settings.solver_type = regression ? L2R_L2LOSS_SVR : L2R_L2LOSS_SVC;
    settings.eps = 0.001;
    settings.C = cost;
    settings.p = kTube;
    if (const char* wrong = check_parameter(&problem_, &settings)) {
      throw InternalError("[train_svm] {}", wrong);
    }
    set_print_string_function([](const char*) {});
    const auto destroy = [](model* made) { free_and_destroy_model(&made); };
    const std::unique_ptr<model, decltype(destroy)> made(::train(&problem_, &settings), destroy);
    // In liblinear a positive margin means the label that came first in the data.
    const double sign = !regression && made->label[0] < 0 ? -1.0 : 1.0;
    for (int f = 0; f < problem_.n; ++f) weights[f] = sign * made->w[f];
  }

 private:
  std::vector<std::vector<feature_node>> nodes_;
  std::vector<feature_node*> rows_;
  std::vector<double> targets_;
  problem problem_{};
};

void fit(NgramSvm& svm, Problem& problem, const Config& config, const std::vector<Example>& train,
         double cost) {
  const bool regression = config.task.regression;
  for (int64_t k = 0; k < config.task.outputs(); ++k) {
    const auto target = [&](size_t i) {
      if (regression) return train[i].value(static_cast<size_t>(k));
      return static_cast<int64_t>(train[i].target) == k ? 1.0 : -1.0;
    };
    problem.solve(regression, cost, target, svm.matrix[k].data_ptr<double>());
  }
}

}  // namespace

std::optional<NgramSvm> train_svm(const Config& config, const std::vector<Example>& train,
                                  const std::vector<Example>& dev, const std::atomic<bool>* stop,
                                  TrainObserver* observer) {
  NgramSvm svm =
      NgramSvm::with_features_of(train, config.model.ngrams, config.data.min_count, config.task);
  if (svm.feature_count() == 0) {
    throw InputError("no word occurs in {} training texts (data.min_count)", config.data.min_count);
  }
  Problem problem(svm, train);
  if (config.train.svm_cost > 0.0) {
    fit(svm, problem, config, train, config.train.svm_cost);
    return svm;
  }
  Workers alone(1);
  at::Tensor best_weights;
  double best = 0.0;
  for (const double cost : kCosts) {
    fit(svm, problem, config, train, cost);
    if (stop != nullptr && stop->load()) return std::nullopt;
    const Evaluation result = summarise(dev, svm.predict(dev, alone), config.task);
    if (observer != nullptr) observer->on_cost(cost, result.metric);
    const double value = config.task.regression ? -result.metric : result.metric;
    if (best_weights.defined() && value <= best) continue;
    best = value;
    best_weights = svm.matrix.clone();
  }
  svm.matrix = best_weights;
  return svm;
}

}  // namespace hardkuma
