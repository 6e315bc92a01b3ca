// The table of all settings: what `--help`, the docs, error messages and saved models know of each.
#include <algorithm>

#include "hardkuma/model/config.h"

namespace hardkuma {
namespace {

template <typename E, size_t N>
NamedChoice choice(E& member, const Named<E> (&table)[N]) {
  NamedChoice out;
  for (const Named<E>& named : table) out.names.emplace_back(named.name);
  out.get = [&member, &table] {
    const auto* found =
        std::find_if(table, table + N, [&](const Named<E>& n) { return n.value == member; });
    return static_cast<size_t>(found - table);
  };
  out.set = [&member, &table](size_t i) { member = table[i].value; };
  return out;
}

// When settings act. A condition's words follow "it acts".

bool is_svm(const Config& c) {
  return c.model.kind == ModelKind::Svm;
}
bool has_default_controller(const Config& c) {
  return c.controller.name == ControllerKind::Default;
}
bool has_text_gates(const Config& c) {
  return has_gates(c) && !reads_pairs(c);
}
bool decays(const Config& c) {
  return !is_svm(c) && (c.train.schedule == RateSchedule::Plateau ||
                        c.train.schedule == RateSchedule::Exponential ||
                        c.train.schedule == RateSchedule::Multistep);
}
bool waits_for_target(const Config& c) {
  return c.train.schedule == RateSchedule::Plateau || c.train.schedule == RateSchedule::Anneal;
}

constexpr Condition kAlways{"always", [](const Config&) { return true; }};
constexpr Condition kNetwork{"with networks, not with model.kind svm",
                             [](const Config& c) { return !is_svm(c); }};
constexpr Condition kSvm{"with model.kind svm", is_svm};
constexpr Condition kPairs{"with models of pairs of texts; start from --preset snli", reads_pairs};
constexpr Condition kTextNetwork{"with networks that read single texts",
                                 [](const Config& c) { return !is_svm(c) && !reads_pairs(c); }};
constexpr Condition kSelecting{"with models that select words", selects_words};
constexpr Condition kTextSelector{
    "with models that select words of single texts",
    [](const Config& c) { return selects_words(c) && !reads_pairs(c); }};
constexpr Condition kGates{"with model.kind hardkuma, bernoulli, hard-concrete or da-hardkuma",
                           has_gates};
constexpr Condition kTextGates{"with model.kind hardkuma, bernoulli or hard-concrete",
                               has_text_gates};
constexpr Condition kBernoulli{"with model.kind bernoulli", [](const Config& c) {
                                 return c.model.kind == ModelKind::Bernoulli;
                               }};
constexpr Condition kPairGates{"with model.kind da-hardkuma", [](const Config& c) {
                                 return c.model.kind == ModelKind::PairHardKuma;
                               }};
constexpr Condition kPairAttention{"with model.kind da or da-hardkuma", [](const Config& c) {
                                     return c.model.kind == ModelKind::PairHardKuma ||
                                            c.model.kind == ModelKind::PairAttention;
                                   }};
constexpr Condition kVectors{"with data.vectors",
                             [](const Config& c) { return !c.data.vectors.empty() && !is_svm(c); }};
constexpr Condition kLearnedEmbedding{
    "without data.vectors", [](const Config& c) { return c.data.vectors.empty() && !is_svm(c); }};
constexpr Condition kLearnedWords{
    "without data.vectors", [](const Config& c) { return c.data.vectors.empty() || is_svm(c); }};
constexpr Condition kDefault{"with gates and controller.name default", [](const Config& c) {
                               return has_gates(c) && has_default_controller(c);
                             }};
constexpr Condition kTextGatesDefault{
    "with gates over single texts and controller.name default",
    [](const Config& c) { return has_text_gates(c) && has_default_controller(c); }};
constexpr Condition kTextGatesHeld{
    "with gates over single texts and controller.name default or paper", [](const Config& c) {
      return has_text_gates(c) && c.controller.name != ControllerKind::Fixed;
    }};
constexpr Condition kEdge{"with model.kind hardkuma and controller.name default",
                          [](const Config& c) {
                            return c.model.kind == ModelKind::HardKuma && has_default_controller(c);
                          }};
constexpr Condition kScaled{"with networks and controller.name default", [](const Config& c) {
                              return !is_svm(c) && has_default_controller(c);
                            }};
// Models without gates keep the calendar, too, so that they compare with those that have them.
constexpr Condition kCalendar{
    "with controller.name default, and gates or train.schedule plateau or anneal",
    [](const Config& c) {
      return has_default_controller(c) && !is_svm(c) && (has_gates(c) || waits_for_target(c));
    }};
constexpr Condition kWarmup{"as controller.descent does, without train.start", [](const Config& c) {
                              return kCalendar.holds(c) && c.train.start.empty();
                            }};
constexpr Condition kRunLength{
    "with gates over single texts and controller.name default, without objective.lasso",
    [](const Config& c) { return kTextGatesDefault.holds(c) && c.objective.lasso == 0.0; }};
constexpr Condition kPaper{"with gates and controller.name paper", [](const Config& c) {
                             return has_gates(c) && c.controller.name == ControllerKind::Paper;
                           }};
constexpr Condition kLambda{
    "with gates and controller.name paper or fixed (with bernoulli and fixed it is "
    "controller.word_cost)",
    [](const Config& c) {
      return has_gates(c) && !has_default_controller(c) && !counts_selected(c);
    }};
constexpr Condition kFixedText{
    "with model.kind hardkuma or hard-concrete and controller.name fixed", [](const Config& c) {
      return has_text_gates(c) && c.controller.name == ControllerKind::Fixed && !counts_selected(c);
    }};
constexpr Condition kCounted{"with model.kind bernoulli and controller.name fixed",
                             counts_selected};
constexpr Condition kDecaying{"with train.schedule plateau, exponential or multistep", decays};
constexpr Condition kPlateau{"with train.schedule plateau", [](const Config& c) {
                               return decays(c) && c.train.schedule == RateSchedule::Plateau;
                             }};
constexpr Condition kMultistep{"with train.schedule multistep", [](const Config& c) {
                                 return decays(c) && c.train.schedule == RateSchedule::Multistep;
                               }};
constexpr Condition kThresholded{"with gates, controller.name default and model.decision binary",
                                 finds_threshold};

}  // namespace

std::string name_of(ModelKind kind) {
  return name_in(kModelKinds, kind);
}

std::string name_of(EncoderKind kind) {
  return name_in(kEncoders, kind);
}

std::string name_of(ControllerKind kind) {
  return name_in(kControllers, kind);
}

std::vector<Setting> settings(Config& c) {
  return {
      {"data.text", "column of the text; empty: guessed from the usual names", &c.data.text,
       &kAlways},
      {"data.second", "column of the second text of a pair; empty: guessed", &c.data.second,
       &kPairs},
      {"data.label", "column of the label; empty: guessed", &c.data.label, &kAlways},
      {"data.gold", "JSONL field of gold spans; empty: <label>_spans, rationale or gold if there",
       &c.data.gold, &kAlways},
      {"data.aspect",
       "which score of a beer review: look, smell, palate, taste, overall, its number, or all at "
       "once; of a table, the label column",
       &c.data.aspect, &kAlways},
      {"data.binarise",
       "scores to classes, as \"0.4,0.6\": negative up to the first, positive from the second, "
       "others left out, train balanced",
       &c.data.binarise, &kAlways},
      {"data.task", "classification or regression; auto: found from the labels",
       choice(c.data.task, kTasks), &kAlways},
      {"data.tokenizer", "words (Unicode, Penn-style) or whitespace (as given)",
       choice(c.data.tokenizer, kTokenizers), &kAlways},
      {"data.min_count", "rarer training words are unknown words (with fixed vectors: no limit)",
       &c.data.min_count, &kLearnedWords},
      {"data.vectors",
       "GloVe/fastText text or word2vec .bin; empty: embeddings are learned from scratch",
       &c.data.vectors, &kNetwork},
      {"data.extra_vectors",
       "keep this many words from the top of the vectors file, for words unseen in training",
       &c.data.extra_vectors, &kVectors},
      {"data.normalise", "scale the given vectors to length one", &c.data.normalise, &kVectors},
      {"data.unknown_classes",
       "tell unknown words apart into so many classes, by their MD5; 0: they are one word",
       &c.data.unknown_classes, &kAlways},
      {"data.max_tokens",
       "a longer text is an error, or cut if data.truncate is set (a side of a pair: at most 1000)",
       &c.data.max_tokens, &kAlways},
      {"data.truncate", "cut texts longer than data.max_tokens", &c.data.truncate, &kAlways},
      {"data.train_tokens", "cut train and dev texts, and only those, to so many tokens; 0: not",
       &c.data.train_tokens, &kAlways},
      {"data.dev_fraction", "share of a single file held out to choose the checkpoint",
       &c.data.dev_fraction, &kAlways},
      {"data.test_fraction", "share of a single file held out and never trained or chosen on",
       &c.data.test_fraction, &kAlways},
      {"model.kind",
       "how words are chosen: hardkuma, bernoulli (REINFORCE), hard-concrete or attention (its top "
       "words); full-text and svm (n-grams) read them all; of pairs of texts: da-hardkuma "
       "(links between words), da (decomposable attention), lstm-pair",
       choice(c.model.kind, kModelKinds), &kAlways},
      {"model.encoder",
       "lstm, or rcnn (gated averages of bigrams; half the weights, skips unselected words)",
       choice(c.model.encoder, kEncoders), &kTextNetwork},
      {"model.dependent", "let each word's gate see those before it", &c.model.dependent,
       &kTextGates},
      {"model.hidden", "units per direction, or per layer", &c.model.hidden, &kNetwork},
      {"model.embedding", "width of learned embeddings (vectors bring their own)",
       &c.model.embedding, &kLearnedEmbedding},
      {"model.train_vectors", "go on training the given vectors", &c.model.train_vectors,
       &kVectors},
      {"model.dropout", "on embeddings and before the output layer", &c.model.dropout, &kNetwork},
      {"model.decision", "z at prediction: binary, or argmax (the paper's rule, may be fractional)",
       choice(c.model.decision, kDecisions), &kGates},
      {"model.threshold",
       "select what is not zero with at least this probability; 0: as decided. Found by training, "
       "see train.calibrate",
       &c.model.threshold, &kAlways,
       /*found_by_training=*/true},
      {"model.shared", "selector and classifier read through one encoder", &c.model.shared,
       &kTextSelector},
      {"model.selectors",
       "so many selectors learn with one classifier; the first one selects at prediction",
       &c.model.selectors, &kTextGates},
      {"model.likelihood", "of a regression: squared (error of a sigmoid) or logit-normal",
       choice(c.model.likelihood, kLikelihoods), &kTextNetwork},
      {"model.ngrams", "svm: longest run of words that is a feature", &c.model.ngrams, &kSvm},
      {"model.links",
       "da-hardkuma: what a word's open cells are to each other: softmax (they share its "
       "attention) "
       "or none (each counts by its z, as published)",
       choice(c.model.links, kLinks), &kPairGates},
      {"model.shapes",
       "da-hardkuma: a and b from products of rectified features with a learned bias, which lets "
       "them go below ln 2, and b's features leaking a little; or without (relu, as published)",
       choice(c.model.shapes, kShapes), &kPairGates},
      {"model.intra",
       "da, da-hardkuma: words first attend to their own text, with a bias by distance",
       &c.model.intra, &kPairAttention},
      {"objective.target",
       "share to select of the words, or of the cells between those of a pair, as 0.15 or \"15%\"",
       &c.objective.target, &kSelecting},
      {"objective.share",
       "what the threshold holds the target share of: words (or cells) of all texts together, or "
       "of "
       "each text and then the mean of texts",
       choice(c.objective.share, kShares), &kGates},
      {"objective.run_length", "wanted mean length of a run of selected words; 0: any",
       &c.objective.run_length, &kRunLength},
      {"objective.lasso", "most transitions per word, the paper's fused lasso; 0: from run_length",
       &c.objective.lasso, &kTextGatesHeld},
      {"objective.samples", "samples of z per example and step", &c.objective.samples, &kGates},
      {"objective.baseline",
       "bernoulli: subtract from the cost, for less noise, its running mean, or with several "
       "samples "
       "the mean of the others",
       choice(c.objective.baseline, kBaselines), &kBernoulli},
      {"objective.entropy",
       "penalty on undecided gates: weight of the entropy of being zero or not",
       &c.objective.entropy, &kTextGatesDefault},
      {"controller.name", "default, paper (as published) or fixed (constant weights)",
       choice(c.controller.name, kControllers), &kNetwork},
      {"controller.rho", "default: weight of the error, a difference of log-odds",
       &c.controller.rho, &kDefault},
      {"controller.eta",
       "default: what the price moves by in three tenths of the run at full error",
       &c.controller.eta, &kDefault},
      {"controller.alpha", "default: memory of the moving average", &c.controller.alpha, &kDefault},
      {"controller.bound", "default: largest price", &c.controller.bound, &kDefault},
      {"controller.warmup", "default: share of the epochs spent on full text, at most",
       &c.controller.warmup, &kWarmup},
      {"controller.patience",
       "default: epochs without a lower dev loss that end the full text early, if something was "
       "learned and the training loss is a fifth below it; 0: never",
       &c.controller.patience, &kWarmup},
      {"controller.descent", "default: share of the epochs over which the rate comes down",
       &c.controller.descent, &kCalendar},
      {"controller.settle",
       "default: share of the epochs, the last ones, in which the classifier learns from gates as "
       "they are decided at prediction, and what only gates are made of stands still",
       &c.controller.settle, &kDefault},
      {"controller.schedule",
       "default: how the goal comes down: achieved (geometric, but waiting while the rate does not "
       "follow, until the descent is over), geometric, or linear",
       choice(c.controller.schedule, kDescents), &kDefault},
      {"controller.edge",
       "default, hardkuma: samples are stretched to (-edge, 1 + edge) at first, and to the "
       "published (-0.1, 1.1) when the descent is over, epoch by epoch",
       &c.controller.edge, &kEdge},
      {"controller.one_sided", "default: only ever push the rate down, as the paper does",
       &c.controller.one_sided, &kDefault},
      {"controller.corrected", "default: correct the moving average for its start at zero",
       &c.controller.corrected, &kDefault},
      {"controller.scaled", "default: divide the task loss by that of the best constant prediction",
       &c.controller.scaled, &kScaled},
      {"controller.paper_alpha",
       "paper: memory of the moving average (published: 0.99 SST and SNLI, 0.5 Beer)",
       &c.controller.paper_alpha, &kPaper},
      {"controller.paper_eta",
       "paper: step of the multiplier (published: 0.01 SST and SNLI, 0.05 Beer)",
       &c.controller.paper_eta, &kPaper},
      {"controller.lambda", "paper: first multiplier; fixed: weight of E[L0]", &c.controller.lambda,
       &kLambda},
      {"controller.lambda_min", "paper: smallest multiplier", &c.controller.lambda_min, &kPaper},
      {"controller.lambda_max", "paper: largest multiplier", &c.controller.lambda_max, &kPaper},
      {"controller.lasso_weight", "fixed: weight of the fused lasso", &c.controller.lasso_weight,
       &kFixedText},
      {"controller.word_cost",
       "fixed, with bernoulli: cost of each selected word, λ0 of equation 4 (published: 2e-4 to "
       "4e-4 "
       "on Beer)",
       &c.controller.word_cost, &kCounted},
      {"controller.change_cost",
       "fixed, with bernoulli: cost of each change, λ1 of equation 4 (published: twice λ0)",
       &c.controller.change_cost, &kCounted},
      {"train.epochs", "passes over the training set", &c.train.epochs, &kNetwork},
      {"train.batch", "examples per step", &c.train.batch, &kNetwork},
      {"train.learning_rate", "of Adam", &c.train.learning_rate, &kNetwork},
      {"train.weight_decay", "of Adam (L2)", &c.train.weight_decay, &kNetwork},
      {"train.clip", "largest gradient norm", &c.train.clip, &kNetwork},
      {"train.schedule",
       "none, plateau (× decay after train.patience epochs without a better dev loss), exponential "
       "(× decay each epoch), multistep (× decay at milestones) or anneal (down to a tenth while "
       "the rate is held)",
       choice(c.train.schedule, kRateSchedules), &kNetwork},
      {"train.decay", "factor of the schedule", &c.train.decay, &kDecaying},
      {"train.patience", "epochs the plateau schedule waits", &c.train.patience, &kPlateau},
      {"train.milestones", "epochs of the multistep schedule, as \"10,15\"", &c.train.milestones,
       &kMultistep},
      {"train.min_learning_rate", "no schedule goes below", &c.train.min_learning_rate, &kDecaying},
      {"train.tolerance", "a checkpoint may be chosen if its dev rate is this near the target",
       &c.train.tolerance, &kGates},
      {"train.calibrate",
       "after training with the default controller and binary z, move the threshold from where "
       "training texts put it, until what is selected of the dev split is within 0.3 points of the "
       "target (of targets below 15% or above 85% nearer, in proportion)",
       &c.train.calibrate, &kThresholded},
      {"train.predictor_rate",
       "learning rate of the classifier: full, or share (times the share aimed at)",
       choice(c.train.predictor_rate, kPredictorRates), &kTextGates},
      {"train.seed", "same seed, workers and machine: same bytes", &c.train.seed, &kAlways},
      {"train.start",
       "directory of a model of the same words and sizes, perhaps of another kind, whose weights "
       "to begin with; there is then no warm-up, and the rate comes down from where that model has "
       "it",
       &c.train.start, &kNetwork},
      {"train.workers", "threads the batch is split over; 0: one per core", &c.train.workers,
       &kAlways},
      {"train.tf32",
       "on a GPU: matrix products with factors of eleven bits, quicker and less exact",
       &c.train.tf32, &kNetwork},
      {"train.svm_cost", "svm: weight of errors against margin; 0: chosen by the dev split",
       &c.train.svm_cost, &kSvm},
      {"train.full_text", "also train the full-text model, for comparison, into OUT/full-text",
       &c.train.full_text, &kSelecting},
  };
}

}  // namespace hardkuma
