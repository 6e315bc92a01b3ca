#include "hardkuma/model/pair_model.h"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "hardkuma/dist/kuma.h"
#include "support/gradcheck.h"
#include "support/pairs.h"

namespace hardkuma {
namespace {

using test::pair_of;

PairModel small_pair_model(PairModelOptions options = {}) {
  options.hidden = 6;
  at::manual_seed(1);
  return PairModel(options, at::randn({8, 4}), RandomKey(1));
}

const std::vector<Example> kSet = {pair_of({2, 3, 4}, {5, 6}, 0), pair_of({7}, {2, 3, 4, 5}, 2),
                                   pair_of({3, 3}, {4}, 1), pair_of({}, {5, 2}, 1),
                                   pair_of({6, 2}, {}, 0)};

Batch all_of(const std::vector<Example>& set) {
  std::vector<int64_t> indices;
  for (size_t i = 0; i < set.size(); ++i) indices.push_back(static_cast<int64_t>(i));
  return pack(set, indices);
}

std::vector<PairModelOptions> every_kind() {
  std::vector<PairModelOptions> out;
  for (const PairKind kind : {PairKind::Lstm, PairKind::Attention, PairKind::HardKuma}) {
    PairModelOptions options;
    options.kind = kind;
    out.push_back(options);
    if (kind == PairKind::Lstm) continue;
    options.intra = true;
    out.push_back(options);
  }
  PairModelOptions as_published;
  as_published.links = Links::None;
  out.push_back(as_published);
  as_published.shapes = Shapes::Relu;
  out.push_back(as_published);
  return out;
}

int64_t count_of(PairModelOptions options) {
  options.train_embedding = false;
  const PairModel model(options, at::zeros({2, 300}), RandomKey(1));
  int64_t count = 0;
  for (const at::Tensor& parameter : model->trained_parameters()) count += parameter.numel();
  return count;
}

TEST(PairModel, HasThePublishedParameterCounts) {
  PairModelOptions options;
  options.kind = PairKind::Attention;
  EXPECT_EQ(count_of(options), 382000);
  options.kind = PairKind::HardKuma;
  options.shapes = Shapes::Relu;
  EXPECT_EQ(count_of(options), 462400);
  options.shapes = Shapes::Bias;
  EXPECT_EQ(count_of(options), 462402);
}

// The whole model once more, padded to nothing, pair by pair, in plain tensor operations.
at::Tensor plain_logits(const PairModelImpl& model, const Example& pair) {
  const at::NoGradGuard no_grad;
  std::map<std::string, at::Tensor> w;
  for (const auto& item : model.named_parameters()) w[item.key()] = item.value();
  const auto linear = [&](const std::string& name, const at::Tensor& x) {
    return at::addmm(w.at(name + ".bias"), x, w.at(name + ".weight").t());
  };
  const auto network = [&](const std::string& name, const at::Tensor& x, double leak = 0.0) {
    return at::leaky_relu(linear(name + "_2", at::relu(linear(name + "_1", x))), leak);
  };
  const auto words = [](std::vector<int32_t> side) {
    side.insert(side.begin(), 1);
    return at::tensor(side, at::kInt).to(at::kLong);
  };
  const at::Tensor p = linear("projection", w.at("embedding").index_select(0, words(pair.words)));
  const at::Tensor q =
      linear("projection", w.at("embedding").index_select(0, words(pair.second.words)));
  at::Tensor rows;
  at::Tensor columns;
  if (model.gated()) {
    const auto products = [&](const std::string& name, double leak) {
      return at::mm(network(name, p, leak), network(name, q, leak).t());
    };
    const at::Tensor raw_a = products("attend_a", 0.0);
    const bool biased = model.options().shapes == Shapes::Bias;
    const at::Tensor raw_b = products("attend_b", biased ? 0.01 : 0.0);
    const at::Tensor bias = biased ? w.at("shape_bias") : at::zeros({2});
    const HardKuma gate(at::clamp(at::softplus(raw_a + bias[0]), 1e-3, 100),
                        at::clamp(at::softplus(raw_b + bias[1]), 1e-3, 100));
    const at::Tensor z = gate.decide(Decision::Argmax);
    if (model.options().links == Links::None) {  // as published: each cell counts by its z
      rows = columns = z;
    } else {
      const at::Tensor open = z * at::exp(raw_a);
      rows = open / at::clamp_min(open.sum(1, true), 1e-30);
      columns = open / at::clamp_min(open.sum(0, true), 1e-30);
    }
  } else {
    const at::Tensor scores = at::mm(network("attend", p), network("attend", q).t());
    rows = at::softmax(scores, 1);
    columns = at::softmax(scores, 0);
  }
  const at::Tensor first = network("compare", at::cat({p, at::mm(rows, q)}, 1)).sum(0);
  const at::Tensor second = network("compare", at::cat({q, at::mm(columns.t(), p)}, 1)).sum(0);
  return at::mm(network("aggregate", at::cat({first, second}).unsqueeze(0)), w.at("output").t());
}

TEST(PairModel, PredictsAsAPlainComposition) {
  for (const PairModelOptions& options : every_kind()) {
    if (options.kind == PairKind::Lstm || options.intra) continue;  // see their own tests
    SCOPED_TRACE(testing::Message() << "links " << static_cast<int>(options.links) << ", shapes "
                                    << static_cast<int>(options.shapes));
    const PairKind kind = options.kind;
    PairModel model = small_pair_model(options);
    if (kind == PairKind::HardKuma) {  // some cells open, some closed
      const at::NoGradGuard no_grad;
      auto parameters = model->named_parameters();
      if (options.shapes == Shapes::Bias) {
        parameters["shape_bias"].copy_(at::tensor({-1.2f, 0.2f}));
      } else {
        parameters["attend_b_2.weight"].mul_(2.0f);  // without a bias b alone can close them
      }
    }
    model->set_choice({Decision::Argmax, 0.0, 0.0, 0});
    const Batch batch = all_of(kSet);
    const Predictions predictions = model->predict(batch);
    if (kind == PairKind::HardKuma) {
      const int64_t open = (predictions.z > 0).sum().item<int64_t>();
      EXPECT_GT(open, 0);
      EXPECT_LT(open, batch.units());
    }
    for (size_t i = 0; i < kSet.size(); ++i) {
      EXPECT_TRUE(at::allclose(predictions.scores[static_cast<int64_t>(i)],
                               at::softmax(plain_logits(*model, kSet[i]), 1)[0], 1e-4, 1e-5));
    }
  }
}

// A threshold has to be able to take any share of the cells.
TEST(PairModel, CellsWithoutACommonFeatureAreToldApart) {
  for (const Shapes shapes : {Shapes::Bias, Shapes::Relu}) {
    PairModelOptions options;
    options.shapes = shapes;
    PairModel model = small_pair_model(options);
    {
      const at::NoGradGuard no_grad;
      for (const char* name : {"attend_a_2.bias", "attend_b_2.bias"}) {
        model->named_parameters()[name].fill_(-5.0f);  // no feature is positive
      }
    }
    const at::Tensor p_zero = model->predict(all_of({kSet[0]})).p_zero;
    const int64_t values = std::get<0>(at::_unique(p_zero)).numel();
    if (shapes == Shapes::Bias) {
      EXPECT_EQ(values, p_zero.numel());
    } else {
      EXPECT_LE(values, 2);  // all the same, but for the last bit of a vector loop's tail
    }
  }
}

// Without dropout, decided gates and models without any see in training what they see at
// prediction.
TEST(PairModel, TrainsOnWhatItPredictsFrom) {
  for (PairModelOptions options : every_kind()) {
    options.dropout = 0.0;
    PairModel model = small_pair_model(options);
    const Batch batch = all_of(kSet);
    const TrainingTerms terms = model->train_forward(batch, RandomKey(3), 2, Gates::Decided);
    EXPECT_NEAR(terms.task.item<double>(), model->predict(batch).task_loss.sum().item<double>(),
                1e-4);
    EXPECT_EQ(terms.rate.defined(), model->gated());
  }
}

TEST(PairModel, OfDecidedGatesWhatTheTaskDoesNotReachStandsStill) {
  PairModel model = small_pair_model();
  const auto reached = [&](Gates gates, const at::Tensor& parameter) {
    const TrainingTerms terms = model->train_forward(all_of(kSet), RandomKey(3), 1, gates);
    const at::Tensor loss = terms.task + terms.rate + terms.bounds;
    return torch::autograd::grad({loss}, {parameter}, {}, true, false, true)[0].defined();
  };
  for (const auto& item : model->named_parameters()) {
    if (!item.value().requires_grad()) continue;
    EXPECT_TRUE(reached(Gates::Drawn, item.value())) << item.key();
    const bool of_gates = item.key().starts_with("attend_b");
    EXPECT_EQ(reached(Gates::Decided, item.value()), !of_gates) << item.key();
  }
}

// All gates open with links that share attention: the model is soft attention.
TEST(PairModel, StartsAsSoftAttention) {
  PairModelOptions options;
  options.dropout = 0.0;
  PairModel gated = small_pair_model(options);
  options.kind = PairKind::Attention;
  PairModel soft = small_pair_model(options);
  {
    const at::NoGradGuard no_grad;
    auto from = gated->named_parameters();
    for (auto& item : soft->named_parameters()) {
      const std::string twin =
          item.key().rfind("attend_", 0) == 0 ? "attend_a_" + item.key().substr(7) : item.key();
      item.value().copy_(from[twin]);
    }
  }
  const TrainingTerms open = gated->train_forward(all_of(kSet), RandomKey(3), 1, Gates::Open);
  const TrainingTerms plain = soft->train_forward(all_of(kSet), RandomKey(3), 1, Gates::Drawn);
  EXPECT_NEAR(open.task.item<double>(), plain.task.item<double>(), 1e-5);
  EXPECT_FALSE(open.rate.defined());
}

// A gradient of zero is not none: Adam's decay would take such weights to nothing in the warm-up.
TEST(PairModel, OpenGatesLeaveTheirWeightsAlone) {
  for (const Links links : {Links::Softmax, Links::None}) {
    PairModelOptions options;
    options.links = links;
    PairModel model = small_pair_model(options);
    std::vector<std::string> names;
    std::vector<at::Tensor> weights;
    for (const auto& item : model->named_parameters()) {
      if (!item.value().requires_grad()) continue;
      names.push_back(item.key());
      weights.push_back(item.value());
    }
    for (const Gates gates : {Gates::Open, Gates::Drawn}) {
      const TrainingTerms terms = model->train_forward(all_of(kSet), RandomKey(3), 1, gates);
      const std::vector<at::Tensor> gradients = torch::autograd::grad(
          {terms.task}, weights, {}, c10::nullopt, /*create_graph=*/false, /*allow_unused=*/true);
      for (size_t i = 0; i < names.size(); ++i) {
        const bool of_gates = names[i].starts_with("attend_b") || names[i] == "shape_bias" ||
                              (links == Links::None && names[i].starts_with("attend_a"));
        EXPECT_EQ(gradients[i].defined(), gates == Gates::Drawn || !of_gates) << names[i];
      }
    }
  }
}

TEST(PairModel, ClosedLinksCannotChangeThePrediction) {
  PairModelOptions options;
  options.links = Links::Softmax;
  PairModel model = small_pair_model(options);
  {
    const at::NoGradGuard no_grad;
    model->named_parameters()["shape_bias"].copy_(at::tensor({-6.0f, 6.0f}));
  }
  const Batch batch = all_of(kSet);
  const Predictions predictions = model->predict(batch);
  EXPECT_EQ((predictions.z > 0).sum().item<int64_t>(), 0);
  EXPECT_TRUE(at::isfinite(predictions.scores).all().item<bool>());
  // With nothing linked, a text is the bag of its words.
  const std::vector<Example> turned = {pair_of({4, 2, 3}, {6, 5}, 0)};
  EXPECT_TRUE(
      at::allclose(model->predict(all_of(turned)).scores[0], predictions.scores[0], 1e-4, 1e-6));
}

TEST(PairModel, EveryTrainedParameterGetsAGradient) {
  for (PairModelOptions options : every_kind()) {
    options.train_embedding = true;
    options.dropout = 0.0;
    PairModel model = small_pair_model(options);
    const TrainingTerms terms = model->train_forward(all_of(kSet), RandomKey(3), 2, Gates::Drawn);
    at::Tensor loss = terms.task;
    if (terms.rate.defined()) loss = loss + terms.rate;
    const auto grads = torch::autograd::grad({loss}, model->trained_parameters(), {}, c10::nullopt,
                                             false, /*allow_unused=*/true);
    size_t i = 0;
    for (const auto& item : model->named_parameters()) {
      EXPECT_TRUE(grads[i].defined()) << item.key();
      if (grads[i].defined()) {
        EXPECT_TRUE(at::isfinite(grads[i]).all().item<bool>()) << item.key();
        EXPECT_GT(grads[i].abs().max().item<double>(), 0.0) << item.key();
      }
      ++i;
    }
  }
}

TEST(PairModel, TermsOfASplitBatchAddUp) {
  for (const PairModelOptions& options : every_kind()) {
    PairModel model = small_pair_model(options);
    const auto terms = [&](const std::vector<int64_t>& indices) {
      return model->train_forward(pack(kSet, indices), RandomKey(4), 1, Gates::Drawn);
    };
    const TrainingTerms whole = terms({0, 1, 2, 3, 4});
    const TrainingTerms one = terms({4, 1});
    const TrainingTerms other = terms({0, 3, 2});
    EXPECT_NEAR(whole.task.item<double>(), (one.task + other.task).item<double>(), 1e-4);
    if (!whole.rate.defined()) continue;
    EXPECT_NEAR(whole.rate.item<double>(), (one.rate + other.rate).item<double>(), 1e-5);
  }
}

// E[L0] over the cells, NULL's among them: the mean over pairs of the mean over cells.
TEST(PairModel, TheRateIsThatOfTheCells) {
  PairModel model = small_pair_model();
  {
    const at::NoGradGuard no_grad;  // every a = b = 1
    for (auto& item : model->named_parameters()) {
      if (item.key().rfind("attend", 0) == 0) item.value().zero_();
    }
    model->named_parameters()["shape_bias"].fill_(0.541324855f);
  }
  const TrainingTerms terms = model->train_forward(all_of(kSet), RandomKey(4), 1, Gates::Drawn);
  EXPECT_NEAR(terms.rate.item<double>(), static_cast<double>(kSet.size()) * 11.0 / 12.0, 1e-4);
  model->set_choice({Decision::Argmax, 0.0, 0.0, 0});
  const Predictions predictions = model->predict(all_of(kSet));
  EXPECT_NEAR(predictions.p_zero[0].item<double>(), 1.0 / 12.0, 1e-5);
  EXPECT_NEAR(predictions.p_one[0].item<double>(), 1.0 / 12.0, 1e-5);
  EXPECT_NEAR(predictions.z[0].item<double>(), 0.5, 1e-5);
}

TEST(PairModel, SelectsCellsWithinABudget) {
  PairModel model = small_pair_model();
  const Batch batch = all_of(kSet);
  for (const double budget : {0.1, 0.5, 1.0}) {
    model->set_choice({Decision::Binary, 0.0, budget, 0});
    const Predictions predictions = model->predict(batch);
    for (int64_t i = 0; i < batch.examples(); ++i) {
      const std::vector<int64_t> cells = batch.units_of(i);
      double selected = 0.0;
      for (const int64_t cell : cells) selected += predictions.z[cell].item<double>();
      const auto n = static_cast<double>(cells.size());
      EXPECT_EQ(selected, std::max(1.0, std::round(budget * n)));
    }
  }
}

}  // namespace
}  // namespace hardkuma
