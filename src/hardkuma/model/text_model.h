#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hardkuma/common/random.h"
#include "hardkuma/data/batch.h"
#include "hardkuma/model/choice.h"

namespace hardkuma {

class Projections;
struct LinearFit;

/// The features of words that do not depend on their context, in one table or two, for prediction.
/// The selection depends only on the first table.
class WordTables {
 public:
  virtual ~WordTables() = default;
  virtual std::vector<int64_t> table_widths() const = 0;
  /// The rows of a table for words [U] int64: [U, width]. No gradient.
  virtual at::Tensor table_rows(const at::Tensor& words, size_t table) const = 0;
};

/// REINFORCE's terms of each text and sample of z, [S·B]; only `log_probability` has a gradient.
struct ScoreTerms {
  at::Tensor log_probability;  ///< log p(z|x)
  at::Tensor task;
  at::Tensor rate;         ///< as in TrainingTerms, conditional on the earlier z
  at::Tensor transitions;  ///< likewise
  at::Tensor selected;     ///< Σ z, the words selected
  at::Tensor changes;      ///< Σ |z_t - z_{t+1}|
};

/// The terms of which the loss is a weighted sum.
enum class Term { Task, Selector, Rate, Transitions, Bounds };
constexpr Term kTerms[] = {Term::Task, Term::Selector, Term::Rate, Term::Transitions, Term::Bounds};
constexpr int64_t kTermCount = 5;

/// The terms of one training pass over a batch, each summed over the batch's examples (so that the
/// parts of a split batch add up) and averaged over the samples of z.
struct TrainingTerms {
  at::Tensor task;         ///< negative log-likelihood, or squared error
  at::Tensor rate;         ///< E[L0] / units; undefined for a full-text pass
  at::Tensor transitions;  ///< expected fused lasso / length; undefined likewise, and for pairs
  at::Tensor bounds;       ///< gate_bounds_penalty / units; undefined likewise
  at::Tensor selector;     ///< Attention: the selector's own loss on the full text; objective.match
  ScoreTerms score;        ///< Bernoulli

  const at::Tensor& operator[](Term term) const;
};

/// Predictions for a batch. Its U units (words, or the cells of pairs) are in the order of the
/// batch.
struct Predictions {
  at::Tensor scores;     // [B, C] class probabilities, or the sigmoid's values
  at::Tensor task_loss;  // [B] against the batch's targets
  at::Tensor z;          // [U] all 1 if the model selects nothing
  at::Tensor p_zero;     // [U]
  at::Tensor p_one;      // [U]
};

/// How gates are set in training.
enum class Gates {
  Drawn,    ///< sampled; the task's gradient reaches them
  Open,     ///< all at 1: the full text is read, and the rate is not constrained
  Decided,  ///< as at prediction; parameters without a task gradient are frozen
};

/// A network over an embedding table that predicts from texts or pairs of texts, and may select
/// what it reads.
class TextModel : public torch::nn::Module {
 public:
  /// Does it select? By gates, whose rate training controls? By dependent gates?
  virtual bool selects() const = 0;
  virtual bool gated() const = 0;
  virtual bool dependent() const { return false; }
  /// The share of its words that every text keeps at least, and at least one word; 0: no floor.
  virtual double floor() const { return 0.0; }

  /// Does training on a GPU launch the same kernels for every batch of the same size?
  virtual bool recordable() const { return false; }

  /// Sets the support of HardKuma's samples. Decided gates keep the published support.
  virtual void set_drawn_support(const Support&) {}

  /// Sets what an empty selection is answered with: logits [C] of the training set's prior.
  virtual void set_prior(const at::Tensor&) {}

  /// Sets what a text of each class weighs in the training loss [C]; undefined: all the same.
  virtual void set_class_weights(const at::Tensor&) {}

  /// Sets the linear model that is part of the network, if there is one.
  virtual void set_linear(const LinearFit&) {}

  /// Models without gates ignore `gates`.
  virtual TrainingTerms train_forward(const Batch& batch, StepKey step, int64_t samples,
                                      Gates gates) = 0;

  /// `projections` covers the batch's words, or has no tables.
  virtual Predictions predict(const Batch& batch, const Projections& projections) = 0;
  Predictions predict(const Batch& batch);

  /// The selection at prediction.
  const Choice& choice() const { return choice_; }
  void set_choice(const Choice& choice) { choice_ = choice; }

  /// Null if there are no tables per word, as on a GPU.
  virtual const WordTables* word_tables() const { return nullptr; }

  /// Divides the logits of classes at prediction; training finds it on dev texts.
  void set_temperature(double temperature) { temperature_ = temperature; }

  int64_t vocabulary() const { return embedding_.size(0); }

  /// The device of the weights; batches must be on it.
  at::Device device() const { return embedding_.device(); }
  bool on_gpu() const { return embedding_.is_cuda(); }

  /// Parameters that training changes, in a fixed order.
  std::vector<at::Tensor> trained_parameters() const;

 protected:
  void set_embedding(at::Tensor embedding, bool trained);

  at::Tensor embedding_;  // [V, D]
  Choice choice_;
  double temperature_ = 1.0;
};

/// Parameters by name, on the CPU.
std::map<std::string, at::Tensor> named_weights(const TextModel& model);

/// Copies weights in by name; a missing or misshapen one is an InputError naming `path`.
void load_weights(TextModel& model, const std::map<std::string, at::Tensor>& weights,
                  const std::string& path);

/// Copies one weight in.
void copy_weight(at::Tensor& here, const at::Tensor& theirs, const std::string& name,
                 const std::string& path);

/// -log p(class) of each example, [B].
at::Tensor class_loss(const at::Tensor& logits, const at::Tensor& targets);

}  // namespace hardkuma
