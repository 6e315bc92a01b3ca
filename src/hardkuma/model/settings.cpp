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

// When settings have an effect. Messages put a condition's text after "it acts".

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
// Models without gates follow the same warm-up and descent, so that results are comparable.
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
      {"data.letters",
       "embeddings start from the runs of letters in the words, so that related words start alike, "
       "whatever the seed",
       &c.data.letters, &kLearnedEmbedding},
      {"data.lower_case", "read all words in lower case", &c.data.lower_case, &kLearnedWords},
      {"data.min_count",
       "training words that are rarer are unknown words (with fixed vectors: no limit)",
       &c.data.min_count, &kLearnedWords},
      {"data.vectors",
       "GloVe/fastText text or word2vec .bin; empty: embeddings are learned from scratch",
       &c.data.vectors, &kNetwork},
      {"data.extra_vectors",
       "keep this many words from the top of the vectors file, for words unseen in training",
       &c.data.extra_vectors, &kVectors},
      {"data.normalise", "scale the given vectors to length one", &c.data.normalise, &kVectors},
      {"data.unknown_classes",
       "number of classes for unknown words, assigned by their MD5; 0: all unknown words are one "
       "word",
       &c.data.unknown_classes, &kAlways},
      {"data.max_tokens",
       "a longer text is an error, or cut if data.truncate is set (a side of a pair: at most 1000)",
       &c.data.max_tokens, &kAlways},
      {"data.truncate", "cut texts longer than data.max_tokens", &c.data.truncate, &kAlways},
      {"data.train_tokens", "cut train and dev texts, but not test, to this many tokens; 0: no cut",
       &c.data.train_tokens, &kAlways},
      {"data.dev_fraction",
       "share of a single file for the dev split, which chooses the checkpoint",
       &c.data.dev_fraction, &kAlways},
      {"data.test_fraction",
       "share of a single file for the test split, which is never trained or chosen on",
       &c.data.test_fraction, &kAlways},
      {"model.kind",
       "how words are selected: hardkuma, hard-concrete, bernoulli (REINFORCE) or attention (its "
       "top words); full-text and svm (n-grams) read all words; for pairs of texts: da-hardkuma "
       "(links between words), da (decomposable attention), lstm-pair",
       choice(c.model.kind, kModelKinds), &kAlways},
      {"model.encoder",
       "lstm, or rcnn (gated averages of bigrams; half the weights, skips unselected words)",
       choice(c.model.encoder, kEncoders), &kTextNetwork},
      {"model.reading",
       "how a selected word with z below 1 is read: fade (z moves the classifier's state, so that "
       "0 "
       "leaves the word out) or published (z scales the embedding; an LSTM reads zeros in gaps)",
       choice(c.model.reading, kReadingRules), &kTextSelector},
      {"model.linear",
       "a linear model of single words, fitted before training, adds its logits of the words that "
       "the classifier reads, and shows the selector how much each word weighs in it",
       &c.model.linear, &kTextNetwork},
      {"model.floor",
       "every text shows at least this share of objective.target of its words, and at least one "
       "word, in training and at prediction; 0: a text may show nothing",
       &c.model.floor, &kTextGates},
      {"model.dependent", "let each word's gate see those before it", &c.model.dependent,
       &kTextGates},
      {"model.hidden", "units per direction, or per layer", &c.model.hidden, &kNetwork},
      {"model.embedding", "width of learned embeddings (vectors bring their own)",
       &c.model.embedding, &kLearnedEmbedding},
      {"model.train_vectors", "go on training the given vectors", &c.model.train_vectors,
       &kVectors},
      {"model.dropout",
       "dropout on embeddings and before the output layer; -1: by how often words occur",
       &c.model.dropout, &kNetwork},
      {"model.decision",
       "z at prediction: binary, or argmax (the paper's rule; z may be fractional)",
       choice(c.model.decision, kDecisions), &kGates},
      {"model.threshold",
       "select words with P(z ≠ 0) of at least this; 0: as each gate decides. Found by training, "
       "see train.calibrate",
       &c.model.threshold, &kAlways,
       /*found_by_training=*/true},
      {"model.temperature",
       "divides the logits of classes, so that probabilities are as often right as they say; 1: as "
       "trained. Found by training, see train.temperature",
       &c.model.temperature, &kAlways,
       /*found_by_training=*/true},
      {"model.shared", "selector and classifier share one encoder", &c.model.shared,
       &kTextSelector},
      {"model.selectors",
       "number of selectors trained with one classifier; the first selects at prediction",
       &c.model.selectors, &kTextGates},
      {"model.likelihood",
       "likelihood of a regression: squared (error of a sigmoid) or logit-normal",
       choice(c.model.likelihood, kLikelihoods), &kTextNetwork},
      {"model.ngrams", "svm: longest run of words that is a feature", &c.model.ngrams, &kSvm},
      {"model.links",
       "da-hardkuma: weights of a word's open cells: softmax (they share its attention) or none "
       "(each counts by its z, as published)",
       choice(c.model.links, kLinks), &kPairGates},
      {"model.shapes",
       "da-hardkuma: a and b from products of rectified features with a learned bias, which lets "
       "them go below ln 2, and b's features leaking a little; or without (relu, as published)",
       choice(c.model.shapes, kShapes), &kPairGates},
      {"model.intra",
       "da, da-hardkuma: words first attend to their own text, with a bias by distance",
       &c.model.intra, &kPairAttention},
      {"objective.target",
       "share of the words to select (of pairs: of the cells between their words), as 0.15 or "
       "\"15%\"",
       &c.objective.target, &kSelecting},
      {"objective.share",
       "which share is held at the target: of the words of all texts together, or the mean over "
       "texts",
       choice(c.objective.share, kShares), &kGates},
      {"objective.run_length", "mean length of a run of selected words; 0: any",
       &c.objective.run_length, &kRunLength},
      {"objective.lasso",
       "most transitions per word (the paper's fused lasso); 0: from objective.run_length",
       &c.objective.lasso, &kTextGatesHeld},
      {"objective.samples", "samples of z per example and step", &c.objective.samples, &kGates},
      {"objective.baseline",
       "bernoulli: what is subtracted from the cost to reduce variance: its running mean, or the "
       "mean of the other samples",
       choice(c.objective.baseline, kBaselines), &kBernoulli},
      {"objective.entropy",
       "weight of a penalty on undecided gates: the entropy of being zero or not",
       &c.objective.entropy, &kTextGatesDefault},
      {"objective.match",
       "the classifier also learns from the full text, and the selection is drawn towards what it "
       "predicts from that: the weight of both",
       &c.objective.match, &kTextGates},
      {"controller.name", "default, paper (as published) or fixed (constant weights)",
       choice(c.controller.name, kControllers), &kNetwork},
      {"controller.rho", "default: proportional gain on the error, a difference of log-odds",
       &c.controller.rho, &kDefault},
      {"controller.eta", "default: how far the multiplier moves at full error in 30% of the run",
       &c.controller.eta, &kDefault},
      {"controller.alpha", "default: decay of the moving average of the rate", &c.controller.alpha,
       &kDefault},
      {"controller.bound", "default: largest multiplier", &c.controller.bound, &kDefault},
      {"controller.warmup", "default: largest share of the epochs spent on full text",
       &c.controller.warmup, &kWarmup},
      {"controller.patience",
       "default: epochs without a lower dev loss that end the warm-up early, once the training "
       "loss is a fifth below the dev loss; 0: never",
       &c.controller.patience, &kWarmup},
      {"controller.descent",
       "default: share of the epochs in which the rate goes down to the target",
       &c.controller.descent, &kCalendar},
      {"controller.settle",
       "default: share of the epochs, the last ones, in which the classifier is trained on gates "
       "as they decide at prediction; what only the gates depend on is frozen",
       &c.controller.settle, &kDefault},
      {"controller.schedule",
       "default: how the goal goes down: achieved (geometric; it waits while the rate does not "
       "follow), geometric, or linear",
       choice(c.controller.schedule, kDescents), &kDefault},
      {"controller.edge",
       "default, hardkuma: samples are stretched to (-edge, 1 + edge) at first and to the "
       "published (-0.1, 1.1) after the descent",
       &c.controller.edge, &kEdge},
      {"controller.one_sided", "default: only push the rate down, as the paper does",
       &c.controller.one_sided, &kDefault},
      {"controller.corrected", "default: correct the moving average for its start at zero",
       &c.controller.corrected, &kDefault},
      {"controller.scaled", "default: divide the task loss by that of the best constant prediction",
       &c.controller.scaled, &kScaled},
      {"controller.paper_alpha",
       "paper: decay of the moving average (published: 0.99 SST and SNLI, 0.5 Beer)",
       &c.controller.paper_alpha, &kPaper},
      {"controller.paper_eta",
       "paper: step of the multiplier (published: 0.01 SST and SNLI, 0.05 Beer)",
       &c.controller.paper_eta, &kPaper},
      {"controller.lambda", "paper: initial multiplier; fixed: weight of E[L0]",
       &c.controller.lambda, &kLambda},
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
      {"train.epochs", "passes over the training set; 0: by the number of texts", &c.train.epochs,
       &kNetwork},
      {"train.batch", "examples per step; 0: by the number of texts", &c.train.batch, &kNetwork},
      {"train.learning_rate", "learning rate (Adam); 0: by the batch and how often words occur",
       &c.train.learning_rate, &kNetwork},
      {"train.balance",
       "auto: classes with less than a fifth of an equal share of the texts weigh more in the "
       "loss, by the square root of what they lack, at most tenfold; or none",
       choice(c.train.balance, kBalances), &kTextNetwork},
      {"train.weight_decay", "weight decay (Adam, L2); -1: by how often words occur",
       &c.train.weight_decay, &kNetwork},
      {"train.clip", "gradients with a larger norm are scaled down to it", &c.train.clip,
       &kNetwork},
      {"train.schedule",
       "learning rate schedule: none, plateau (× decay after train.patience epochs without a lower "
       "dev loss), exponential (× decay each epoch), multistep (× decay at milestones) or anneal "
       "(down to a tenth while the rate is held)",
       choice(c.train.schedule, kRateSchedules), &kNetwork},
      {"train.decay", "factor of the learning rate schedule", &c.train.decay, &kDecaying},
      {"train.patience",
       "plateau: epochs without a lower dev loss before the learning rate goes down",
       &c.train.patience, &kPlateau},
      {"train.milestones", "multistep: epochs at which the learning rate goes down, as \"10,15\"",
       &c.train.milestones, &kMultistep},
      {"train.min_learning_rate", "lower bound of the learning rate", &c.train.min_learning_rate,
       &kDecaying},
      {"train.tolerance", "a checkpoint is chosen only if its dev share is this near to the target",
       &c.train.tolerance, &kGates},
      {"train.calibrate",
       "after training, move the threshold until the share of the dev words shown is within 0.3 "
       "points of the target (in proportion for targets below 15% or above 85%)",
       &c.train.calibrate, &kThresholded},
      {"train.temperature",
       "after training, find the temperature of the probabilities with the lowest loss on dev",
       &c.train.temperature, &kNetwork},
      {"train.predictor_rate",
       "learning rate of the classifier: full, or share (times the share aimed at)",
       choice(c.train.predictor_rate, kPredictorRates), &kTextGates},
      {"train.seed",
       "random seed; on one machine with the same number of workers it gives the same bytes",
       &c.train.seed, &kAlways},
      {"train.start",
       "directory of a model to start from, with the same words and sizes; there is then no "
       "warm-up, and the rate goes down from that model's",
       &c.train.start, &kNetwork},
      {"train.workers", "threads that share a batch; 0: one per core", &c.train.workers, &kAlways},
      {"train.tf32", "on a GPU: TF32 matrix products (11-bit factors), faster and less exact",
       &c.train.tf32, &kNetwork},
      {"train.svm_cost", "svm: weight of errors against margin; 0: chosen on dev",
       &c.train.svm_cost, &kSvm},
      {"train.full_text", "also train the full-text model, for comparison, in OUT/full-text",
       &c.train.full_text, &kSelecting},
  };
}

}  // namespace hardkuma
