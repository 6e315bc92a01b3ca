#pragma once

#include <optional>

#include "hardkuma/common/named.h"
#include "hardkuma/data/labels.h"
#include "hardkuma/data/tokenizer.h"
#include "hardkuma/dist/support.h"
#include "hardkuma/nn/encoder_kind.h"
#include "hardkuma/nn/gate_kinds.h"

namespace hardkuma {

/// The values of settings with choices, and the names users write; both only here.

inline constexpr Named<TaskChoice> kTasks[] = {{TaskChoice::Auto, "auto"},
                                               {TaskChoice::Classification, "classification"},
                                               {TaskChoice::Regression, "regression"}};
inline constexpr Named<Tokenizer> kTokenizers[] = {{Tokenizer::Words, "words"},
                                                   {Tokenizer::Whitespace, "whitespace"}};
inline constexpr Named<Decision> kDecisions[] = {{Decision::Argmax, "argmax"},
                                                 {Decision::Binary, "binary"}};

enum class ModelKind {
  HardKuma,
  Bernoulli,  ///< trained by REINFORCE
  HardConcrete,
  Attention,      ///< the words with the highest weights of an attention trained on the full text
  FullText,       ///< reads everything
  Svm,            ///< a linear model over n-grams of the full text
  PairHardKuma,   ///< pairs of texts: decomposable attention by gates (section 6.3 of the paper)
  PairAttention,  ///< pairs: decomposable attention (Parikh et al. 2016)
  PairLstm,       ///< pairs: encodes each text separately and compares the final states
};
inline constexpr Named<ModelKind> kModelKinds[] = {
    {ModelKind::HardKuma, "hardkuma"},          {ModelKind::Bernoulli, "bernoulli"},
    {ModelKind::HardConcrete, "hard-concrete"}, {ModelKind::Attention, "attention"},
    {ModelKind::FullText, "full-text"},         {ModelKind::Svm, "svm"},
    {ModelKind::PairHardKuma, "da-hardkuma"},   {ModelKind::PairAttention, "da"},
    {ModelKind::PairLstm, "lstm-pair"}};

/// The gates that select words of single texts; none for models that select otherwise or nothing.
constexpr std::optional<GateKind> gate_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::HardKuma:
      return GateKind::HardKuma;
    case ModelKind::Bernoulli:
      return GateKind::Bernoulli;
    case ModelKind::HardConcrete:
      return GateKind::HardConcrete;
    default:
      return std::nullopt;
  }
}

/// What a regression maximises; a value y is in [0, 1], the network's output is m.
enum class Likelihood {
  Squared,      ///< minus the squared difference of sigmoid(m) and y
  LogitNormal,  ///< logit(y) ~ Normal(m, σ²), σ learned
};
inline constexpr Named<Likelihood> kLikelihoods[] = {{Likelihood::Squared, "squared"},
                                                     {Likelihood::LogitNormal, "logit-normal"}};

/// How the open cells of a word are weighted.
enum class Links {
  Softmax,  ///< attention over them, by the scores that also give shape a
  None,     ///< each by its z alone, as published
};
inline constexpr Named<Links> kLinks[] = {{Links::Softmax, "softmax"}, {Links::None, "none"}};

/// How the shapes a and b of a pair's gates are computed, before softplus: products of rectified
/// features.
enum class Shapes {
  Bias,  ///< plus a learned bias each; b's features leak with slope 0.01 below zero
  Relu,  ///< without bias, as published: never negative, so that a and b are at least ln 2
};
inline constexpr Named<Shapes> kShapes[] = {{Shapes::Bias, "bias"}, {Shapes::Relu, "relu"}};

/// What a selected share is a share of.
enum class Share {
  OfUnits,  ///< all words or cells together (micro): long texts count for more
  OfTexts,  ///< the mean of each text's share (macro)
};
inline constexpr Named<Share> kShares[] = {{Share::OfUnits, "words"}, {Share::OfTexts, "texts"}};

/// What REINFORCE subtracts from a cost.
enum class Baseline {
  Running,  ///< the costs' running mean
  Others,   ///< the mean cost of the text's other samples
  None,
};
inline constexpr Named<Baseline> kBaselines[] = {
    {Baseline::Running, "running"}, {Baseline::Others, "others"}, {Baseline::None, "none"}};

/// Do rare classes weigh more in the loss?
enum class Balance { None, Auto };
inline constexpr Named<Balance> kBalances[] = {{Balance::None, "none"}, {Balance::Auto, "auto"}};

enum class ControllerKind { Default, Paper, Fixed };
inline constexpr Named<ControllerKind> kControllers[] = {{ControllerKind::Default, "default"},
                                                         {ControllerKind::Paper, "paper"},
                                                         {ControllerKind::Fixed, "fixed"}};

/// How the controller's goal descends to the target.
enum class Descent { Achieved, Geometric, Linear };
inline constexpr Named<Descent> kDescents[] = {{Descent::Achieved, "achieved"},
                                               {Descent::Geometric, "geometric"},
                                               {Descent::Linear, "linear"}};

enum class RateSchedule { None, Plateau, Exponential, Multistep, Anneal };
inline constexpr Named<RateSchedule> kRateSchedules[] = {{RateSchedule::None, "none"},
                                                         {RateSchedule::Plateau, "plateau"},
                                                         {RateSchedule::Exponential, "exponential"},
                                                         {RateSchedule::Multistep, "multistep"},
                                                         {RateSchedule::Anneal, "anneal"}};

/// The learning rate of the classifier.
enum class PredictorRate {
  Full,
  Share,  ///< times the controller's goal (Liu et al. 2023, "DR")
};
inline constexpr Named<PredictorRate> kPredictorRates[] = {{PredictorRate::Full, "full"},
                                                           {PredictorRate::Share, "share"}};

}  // namespace hardkuma
