#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hardkuma/common/random.h"
#include "hardkuma/data/example.h"
#include "hardkuma/model/text_model.h"
#include "hardkuma/train/adam.h"
#include "hardkuma/train/objective.h"
#include "hardkuma/train/outcome.h"
#include "hardkuma/train/peers.h"

namespace hardkuma {

/// One step's examples, by their places in the training set, and how it is made.
struct StepPlan {
  const std::vector<int64_t>& examples;
  RandomKey key;
  Gates gates = Gates::Drawn;
};

/// What a step's first half measured: means of the loss's terms over all of its texts.
struct MeasuredStep {
  double task = 0.0;
  double rate = 0.0;
  double transitions = 0.0;
};

/// One optimisation step in two halves, so that what the first measures can say how the terms of
/// the loss are weighed in the second.
///
///   const MeasuredStep measured = engine->measure({batch, key, gates});
///   engine->apply(objective_for(measured), learning_rate);
class StepEngine {
 public:
  virtual ~StepEngine() = default;

  /// Passes forward over the examples.
  virtual MeasuredStep measure(const StepPlan& plan) = 0;

  /// What REINFORCE multiplies in the step just measured, on average; 0 for other gates.
  virtual double mean_cost(const Objective&) const { return 0.0; }

  /// The gradient of the step just measured, and a step of the optimiser along it. False: a
  /// gradient of this or of an earlier step is not finite, and nothing moved.
  virtual bool apply(const Objective& objective, double learning_rate) = 0;

  /// Waits for all steps. False as in apply().
  virtual bool settle() { return true; }

  /// The model has changed its ways: a threshold, or what draws are stretched to.
  virtual void model_changed() {}

  virtual EngineUse use() const { return {}; }
};

/// What an engine works with.
struct EngineParts {
  TextModel& model;
  const std::vector<Example>& set;
  Adam& adam;
  std::vector<at::Tensor> parameters;
  int64_t samples = 1;
  double clip = 0.0;
};

/// Recorded steps for a model on a GPU that allows them, else steps split over the workers.
std::unique_ptr<StepEngine> make_step_engine(EngineParts parts, Workers& workers, Peers& peers);

}  // namespace hardkuma
