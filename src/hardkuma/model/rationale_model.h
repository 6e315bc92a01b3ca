#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/pimpl.h>

#include <memory>
#include <optional>
#include <vector>

#include "hardkuma/common/random.h"
#include "hardkuma/data/batch.h"
#include "hardkuma/dist/gate_distribution.h"
#include "hardkuma/model/kinds.h"
#include "hardkuma/model/linear_part.h"
#include "hardkuma/model/projections.h"
#include "hardkuma/model/text_model.h"
#include "hardkuma/nn/dropout.h"
#include "hardkuma/nn/encoder.h"
#include "hardkuma/nn/gate.h"
#include "hardkuma/nn/linear.h"

namespace hardkuma {

/// How the classifier's words are selected: by gates, by the highest weights of an attention that
/// is trained on the full text, or not at all.
struct SelectorKind {
  constexpr SelectorKind(GateKind kind) : gate(kind) {}

  static const SelectorKind None;
  static const SelectorKind Attention;

  bool operator==(const SelectorKind&) const = default;

  std::optional<GateKind> gate;
  bool attention = false;

 private:
  constexpr explicit SelectorKind(bool attends) : attention(attends) {}
};
inline constexpr SelectorKind SelectorKind::None{false};
inline constexpr SelectorKind SelectorKind::Attention{true};

struct RationaleModelOptions {
  SelectorKind selector = GateKind::HardKuma;
  bool regression = false;
  Likelihood likelihood = Likelihood::Squared;
  int64_t outputs = 2;  ///< classes, or values to regress on
  EncoderKind encoder = EncoderKind::Lstm;
  ReadingRule reading = ReadingRule::Published;
  bool dependent = false;  ///< each z depends on those before it, through a cell of `chain_units`
  CellKind chain_cell = CellKind::Lstm;
  int64_t chain_units = 30;
  int64_t hidden = 64;
  double dropout = 0.2;
  bool train_embedding = true;
  /// Selector and classifier share one encoder (Liu et al. 2022, "FR").
  bool shared = false;
  /// Number of selectors trained with one classifier (Liu et al. 2023, "MGR"); the first selects at
  /// prediction.
  int64_t selectors = 1;
  double entropy = 0.0;  ///< weight of the penalty on undecided gates, part of `bounds`
  /// Initialise gates nearly open (open_biases()): the warm-up is on the full text.
  bool open_at_start = false;
  double share = 0.15;  ///< Attention: share of each text's words to select
  /// A linear model of the words that the classifier reads adds its logits, and selectors see how
  /// much each word weighs in it.
  bool linear = false;
  /// Above 0: every text keeps at least this share of its words, and at least one; what is left
  /// without words all the same is answered with the prior.
  double floor = 0.0;
  /// The first id of a known word. Texts of which only unknown words are selected are answered with
  /// the prior, too.
  int64_t known_from = 1;
  double match = 0.0;  ///< weight of learning from the full text too

  bool selects() const { return gated() || selector.attention; }
  /// Are words selected by gates, whose rate training controls?
  bool gated() const { return selector.gate.has_value(); }
};

/// Selector p(z|x) and classifier p(y|x∘z) over one embedding table (section 5 of the paper):
/// embedding → dropout → × z → encoder → final states → dropout → linear.
class RationaleModelImpl final : public TextModel, public WordTables {
 public:
  /// `embedding` is [V, D]; everything else is drawn from the key.
  RationaleModelImpl(const RationaleModelOptions& options, at::Tensor embedding, RandomKey key);

  /// With open gates the selector is not run.
  TrainingTerms train_forward(const Batch& batch, StepKey step, int64_t samples,
                              Gates gates) override;

  void set_drawn_support(const Support& support) override;
  void set_prior(const at::Tensor& logits) override;
  void set_linear(const LinearFit& fit) override;
  void set_class_weights(const at::Tensor& weights) override { class_weights_ = weights; }

  using TextModel::predict;
  Predictions predict(const Batch& batch, const Projections& projections) override;

  /// The classifier's loss [B] when it reads the words with z ≠ 0, weighted by z [N].
  at::Tensor loss_given(const Batch& batch, const at::Tensor& z);

  /// Input projections of the selector's encoder, if there is one, then of the classifier's.
  const WordTables* word_tables() const override;
  std::vector<int64_t> table_widths() const override;
  at::Tensor table_rows(const at::Tensor& words, size_t table) const override;

  bool selects() const override { return options_.selects(); }
  bool gated() const override { return options_.gated(); }
  bool dependent() const override { return options_.dependent; }
  double floor() const override { return options_.gated() ? options_.floor : 0.0; }
  bool recordable() const override {
    return !options_.train_embedding && !options_.linear && options_.match == 0.0 &&
           floor() == 0.0 && !class_weights_.defined() &&
           options_.selector.gate != GateKind::Bernoulli && !options_.selector.attention;
  }
  const RationaleModelOptions& options() const { return options_; }

 private:
  at::Tensor looked_up(const Batch& batch) const;
  // `looked_up`: from looked_up(); `rows` undefined: the whole batch.
  at::Tensor dropped_words(const Batch& batch, const at::Tensor& looked_up, const StepKey& key,
                           const at::Tensor& rows = {}) const;
  struct Selection {
    at::Tensor z;
    at::Tensor p_zero;
    at::Tensor p_one;
  };
  Selection select(const Batch& batch, const Projections& projections);  // at prediction
  void add_draw(const Gate& from, const at::Tensor& states, const Batch& batch,
                const at::Tensor& words, const StepKey& draw, Gates gates, double share,
                const at::Tensor& full, TrainingTerms& terms);
  at::Tensor penalty(const GateValues& gate) const;  // [N]
  GateValues draw_gates(const Gate& from, const at::Tensor& states, const Batch& batch,
                        const StepKey& draw) const;
  // z [N] as selected, plus the words that texts lack.
  at::Tensor with_least(const at::Tensor& z, const at::Tensor& p_zero, const Batch& batch) const;
  TrainingTerms train_attention(const Batch& batch, const at::Tensor& words, const StepKey& step);
  at::Tensor divergence(const at::Tensor& full, const at::Tensor& logits) const;
  at::Tensor summary_given(const Batch& batch, const at::Tensor& z, const Projections& projections);
  // Logits at prediction, from the words weighted by z [N], or from all where it is undefined.
  at::Tensor logits_given(const Batch& batch, const at::Tensor& z, const Projections& projections);
  // Logits for training, from the words weighted by z [N], or from all where it is undefined.
  at::Tensor classify(const Batch& batch, const at::Tensor& words, const at::Tensor& z,
                      const StepKey& step);
  // A selector's states [N, F] with the words' salience beside them, if there is a linear part.
  at::Tensor for_gates(const at::Tensor& states, const Batch& batch, bool training) const;
  // task_loss() in training, weighted by the texts' classes.
  at::Tensor trained_loss(const at::Tensor& logits, const Batch& batch,
                          const at::Tensor& log_sigma) const;
  // [B]; `log_sigma` where the likelihood has one.
  at::Tensor task_loss(const at::Tensor& logits, const Batch& batch,
                       const at::Tensor& log_sigma) const;

  size_t classifier_table() const { return options_.selects() ? 1 : 0; }

  RationaleModelOptions options_;
  std::shared_ptr<Encoder> selector_;
  Gate gate_{nullptr};
  struct Selector {
    std::shared_ptr<Encoder> encoder;
    Gate gate{nullptr};
  };
  std::vector<Selector> others_;  // the selectors after the first
  Linear attention_{nullptr};
  Linear selector_output_{nullptr};  // Attention
  std::shared_ptr<Encoder> classifier_;
  Linear output_{nullptr};
  LinearPart linear_{nullptr};
  at::Tensor prior_;               // with a floor: [C]
  at::Tensor class_weights_;       // [C], not saved; undefined: all 1
  at::Tensor log_sigma_;           // LogitNormal, [C]
  at::Tensor selector_log_sigma_;  // LogitNormal with Attention
};
TORCH_MODULE(RationaleModel);

/// For each sequence (1/len) Σ_t P(one of z_t, z_{t+1} is zero and the other not), equation 13:
/// [B].
at::Tensor expected_transitions(const at::Tensor& p_zero, const at::Tensor& p_nonzero,
                                const Packed& packed);

/// The negative log-density of y [B, C] in (0, 1) where logit(y) ~ Normal(m [B, C], σ² [C]): [B,
/// C]. y is clamped to [0.01, 0.99], σ to at least 0.05.
at::Tensor logit_normal_loss(const at::Tensor& m, const at::Tensor& log_sigma, const at::Tensor& y);

}  // namespace hardkuma
