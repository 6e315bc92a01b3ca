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

/// One step's examples, as indices into the training set, and how to run it.
struct StepPlan {
  const std::vector<int64_t>& examples;
  RandomKey key;
  Gates gates = Gates::Drawn;
};

/// The measurements of a step's first half: means of the loss's terms over all of its texts.
struct MeasuredStep {
  double task = 0.0;
  double rate = 0.0;
  double transitions = 0.0;
};

/// Runs an optimisation step in two halves, so that the weights of the loss's terms in the second
/// can depend on the measurements of the first.
///
///   const MeasuredStep measured = engine->measure({batch, key, gates});
///   engine->apply(objective_for(measured), learning_rate);
class StepEngine {
 public:
  virtual ~StepEngine() = default;

  /// The forward pass over the examples.
  virtual MeasuredStep measure(const StepPlan& plan) = 0;

  /// The mean cost for REINFORCE in the step just measured; 0 for other gates.
  virtual double mean_cost(const Objective&) const { return 0.0; }

  /// Computes the gradient of the step just measured and applies it. False: a gradient of this or
  /// of an earlier step is not finite, and nothing was changed.
  virtual bool apply(const Objective& objective, double learning_rate) = 0;

  /// Waits for all steps. False as in apply().
  virtual bool settle() { return true; }

  /// Called when the model's threshold or the support of its samples has changed.
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
