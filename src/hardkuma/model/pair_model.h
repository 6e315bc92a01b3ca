#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/pimpl.h>

#include <vector>

#include "hardkuma/dist/gate_distribution.h"
#include "hardkuma/model/kinds.h"
#include "hardkuma/model/projections.h"
#include "hardkuma/model/text_model.h"
#include "hardkuma/nn/encoder.h"
#include "hardkuma/nn/gate.h"
#include "hardkuma/nn/linear.h"
#include "hardkuma/nn/pair_attention.h"

namespace hardkuma {

enum class PairKind {
  Lstm,       ///< encodes each text separately and compares the final states
  Attention,  ///< decomposable attention (Parikh et al. 2016)
  HardKuma,   ///< the same with a matrix of gates as attention (section 6.3 of the paper)
};

struct PairModelOptions {
  PairKind kind = PairKind::HardKuma;
  int64_t outputs = 3;
  int64_t hidden = 200;
  double dropout = 0.2;
  bool train_embedding = false;
  Links links = Links::Softmax;
  Shapes shapes = Shapes::Bias;
  bool intra = false;  ///< words first attend to their own text
};

/// Two layers of rectified units.
struct FeedForward {
  Linear first{nullptr};
  Linear second{nullptr};
};

/// p(y | two texts). Each text starts with a NULL word; each pair of words has a cell. For a word:
///
///   p = projection(embedding),  features a(p), b(p)
///   cells between words: gates with shapes softplus(a·a'), softplus(b·b')
///   compared = relu(V relu(W [p; Σ over its links of p']))
///   prediction = linear(relu(relu([Σ compared of the first; of the second])))
class PairModelImpl final : public TextModel, public WordTables {
 public:
  /// `embedding` is [V, D]; everything else is drawn from the key.
  PairModelImpl(const PairModelOptions& options, at::Tensor embedding, RandomKey key);

  /// With open gates: plain decomposable attention, or with Links::None a sum over all words.
  TrainingTerms train_forward(const Batch& batch, StepKey step, int64_t samples,
                              Gates gates) override;

  using TextModel::predict;
  Predictions predict(const Batch& batch, const Projections& projections) override;

  /// A word's attention features, then its comparison features; with `intra` only its projection,
  /// for PairKind::Lstm only its input projection.
  const WordTables* word_tables() const override { return on_gpu() ? nullptr : this; }
  std::vector<int64_t> table_widths() const override;
  at::Tensor table_rows(const at::Tensor& words, size_t table) const override;

  bool selects() const override { return gated(); }
  bool gated() const override { return options_.kind == PairKind::HardKuma; }
  bool recordable() const override {
    return !recurrent() && !options_.intra && !options_.train_embedding;
  }

  const PairModelOptions& options() const { return options_; }

 private:
  /// A word's features for attention [N, heads·H], and for the first layer of the comparison [N, H]
  /// each: as the word compared (`own`) and as a word linked to it (`others`).
  struct Features {
    at::Tensor attend;
    at::Tensor own;
    at::Tensor others;
  };

  bool recurrent() const { return options_.kind == PairKind::Lstm; }
  int64_t heads() const { return gated() ? 2 : 1; }  // of the attention's features
  using Keys = at::Tensor;                           // of dropout; undefined: no dropout
  at::Tensor looked_up(const at::Tensor& words) const;
  at::Tensor projected(const at::Tensor& words) const;
  at::Tensor with_own_text(const at::Tensor& p, const Pairs& pairs) const;
  // Computes `attends` attention heads, of which the first `learned` get a gradient.
  Features features(const at::Tensor& p, const Keys& keys, int64_t attends, int64_t learned) const;
  at::Tensor attended(size_t head, const at::Tensor& hidden) const;  // a's features, or b's
  std::vector<at::Tensor> compare_maps(int64_t width) const;  // of a word, of words linked to it
  at::Tensor compared(const Features& f, const PairWeights& weights, const Pairs& pairs,
                      const Keys& keys) const;  // [B, 2H]
  at::Tensor aggregated(const at::Tensor& sums, const Keys& keys) const;
  PairWeights weights(const at::Tensor& scores, const at::Tensor& z, const Pairs& pairs) const;
  at::Tensor raw_shapes(const at::Tensor& scores) const;
  Features predicted_features(const Batch& batch, const Projections& projections) const;
  at::Tensor side_states(const at::Tensor& x, const std::vector<Rows>& side);

  PairModelOptions options_;
  Linear projection_{nullptr};
  FeedForward intra_;
  at::Tensor distance_;  // [kDistances + 1] biases of attention within a text
  std::vector<FeedForward> attend_;
  at::Tensor shape_bias_;  // [2], with Shapes::Bias
  FeedForward compare_;
  std::shared_ptr<Encoder> encoder_;
  FeedForward aggregate_;
  at::Tensor output_;  // [C, H], no bias
};
TORCH_MODULE(PairModel);

}  // namespace hardkuma
