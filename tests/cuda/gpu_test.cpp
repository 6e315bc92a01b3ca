// The same numbers on a GPU as on the CPU, in double to rounding and in float32 nearly. Without a
// GPU, or in a build without CUDA, these are skipped, and what users are told is tested.

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "hardkuma/common/error.h"
#include "hardkuma/model/make_model.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/model/pair_model.h"
#include "hardkuma/model/predictor.h"
#include "hardkuma/model/rationale_model.h"
#include "hardkuma/nn/bi_encoder.h"
#include "hardkuma/nn/cuda/on_gpu.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/adam.h"
#include "hardkuma/train/trainer.h"
#include "support/encoders.h"
#include "support/pairs.h"

namespace hardkuma {
namespace {

constexpr int64_t kVocabulary = 40;

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (choose_device("auto").is_cpu()) {
      GTEST_SKIP() << (on_gpu::built() ? "no GPU here: " + cuda::unusable_reason()
                                       : "built without CUDA (HARDKUMA_CUDA)");
    }
  }
};

std::vector<int32_t> random_words(int64_t count, RandomKey key) {
  std::vector<int32_t> out;
  for (int64_t t = 0; t < count; ++t) {
    out.push_back(
        static_cast<int32_t>(2 + key.with(static_cast<uint64_t>(t)).below(kVocabulary - 2)));
  }
  return out;
}

// Lengths from one word to more than a warp has lanes.
std::vector<Example> texts(bool regression) {
  std::vector<Example> out;
  for (const int64_t length : {1, 2, 70, 5, 33, 32, 31, 9, 1, 40, 17, 3, 12}) {
    Example example;
    const RandomKey key = RandomKey(3).with(out.size());
    example.words = random_words(length, key);
    example.target = regression ? key.uniform() : static_cast<double>(key.below(2));
    out.push_back(example);
  }
  return out;
}

std::vector<Example> pairs() {
  std::vector<Example> out;
  const std::vector<std::pair<int64_t, int64_t>> lengths = {{3, 2}, {1, 4},  {2, 1},  {0, 2},
                                                            {2, 0}, {40, 7}, {6, 35}, {0, 0}};
  for (const auto& [first, second] : lengths) {
    const RandomKey key = RandomKey(4).with(out.size());
    out.push_back(test::pair_of(random_words(first, key), random_words(second, key.with(1)),
                                static_cast<int64_t>(out.size() % 2)));
  }
  return out;
}

Batch all_of(const std::vector<Example>& set) {
  std::vector<int64_t> indices;
  for (size_t i = 0; i < set.size(); ++i) indices.push_back(static_cast<int64_t>(i));
  return pack(set, indices);
}

double distance(const at::Tensor& gpu, const at::Tensor& cpu) {
  const at::Tensor a = gpu.detach().to(at::kCPU, at::kDouble);
  const at::Tensor b = cpu.detach().to(at::kDouble);
  EXPECT_EQ(a.sizes(), b.sizes());
  if (a.sizes() != b.sizes()) return 1e9;
  const double size = std::max(b.norm().item<double>(), 1e-6);
  const double off = (a - b).norm().item<double>() / size;
  return std::isnan(off) ? 1e9 : off;
}

struct Case {
  std::string name;
  std::function<std::shared_ptr<TextModel>()> make;
  std::vector<Example> set;
};

at::Tensor embedding() {
  at::manual_seed(2);
  return at::randn({kVocabulary, 12});
}

std::vector<Case> every_model() {
  std::vector<Case> out;
  for (const CellKind cell : {CellKind::Lstm, CellKind::Rcnn}) {
    const SelectorKind selectors[] = {GateKind::HardKuma, GateKind::Bernoulli,
                                      GateKind::HardConcrete, SelectorKind::None,
                                      SelectorKind::Attention};
    for (const SelectorKind& selector : selectors) {
      for (const bool dependent : {false, true}) {
        RationaleModelOptions options;
        options.selector = selector;
        options.encoder = test::encoder_of(cell);
        options.chain_cell = cell;
        options.dependent = dependent;
        if (dependent && !options.gated()) continue;
        options.hidden = dependent ? 20 : 37;
        options.chain_units = 7;
        options.regression = cell == CellKind::Rcnn;
        options.outputs = options.regression ? 1 : 2;
        options.dropout = 0.3;
        options.train_embedding = dependent;
        out.push_back(
            {fmt::format("{} {}{}", cell == CellKind::Lstm ? "LSTM" : "RCNN",
                         static_cast<int>(&selector - selectors), dependent ? " dependent" : ""),
             [options] { return RationaleModel(options, embedding(), RandomKey(1)).ptr(); },
             texts(options.regression)});
      }
    }
  }
  for (const std::string extra : {"shared", "selectors", "entropy", "support"}) {
    for (const bool dependent : {false, true}) {
      RationaleModelOptions options;
      options.encoder = test::encoder_of(CellKind::Rcnn);
      options.chain_cell = CellKind::Rcnn;
      options.dependent = dependent;
      options.hidden = 20;
      options.chain_units = 7;
      options.dropout = 0.3;
      options.train_embedding = false;
      options.shared = extra == "shared";
      options.selectors = extra == "selectors" ? 3 : 1;
      options.entropy = extra == "entropy" ? 0.5 : 0.0;
      out.push_back({fmt::format("{}{}", extra, dependent ? " dependent" : ""),
                     [options, extra] {
                       RationaleModel model(options, embedding(), RandomKey(1));
                       if (extra == "support") model->set_drawn_support({-0.02, 1.02});
                       return model.ptr();
                     },
                     texts(false)});
    }
  }
  for (const PairKind kind : {PairKind::Lstm, PairKind::Attention, PairKind::HardKuma}) {
    for (const bool intra : {false, true}) {
      if (kind == PairKind::Lstm && intra) continue;
      for (const Links links : {Links::Softmax, Links::None}) {
        if (kind != PairKind::HardKuma && links == Links::None) continue;
        PairModelOptions options;
        options.kind = kind;
        options.intra = intra;
        options.links = links;
        options.hidden = 21;
        options.outputs = 2;
        options.dropout = 0.3;
        options.train_embedding = intra;
        out.push_back({fmt::format("pairs {}{}{}", static_cast<int>(kind), intra ? " intra" : "",
                                   links == Links::None ? " without softmax" : ""),
                       [options] { return PairModel(options, embedding(), RandomKey(1)).ptr(); },
                       pairs()});
      }
    }
  }
  return out;
}

// The loss with every term in it, and its gradients.
struct Pass {
  std::vector<at::Tensor> terms;
  std::vector<at::Tensor> gradients;
};

Pass pass(TextModel& model, const Batch& batch, Gates gates) {
  const TrainingTerms terms = model.train_forward(batch, RandomKey(9), 2, gates);
  Pass out;
  at::Tensor loss;
  double weight = 1.0;
  for (const at::Tensor& term :
       {terms.task, terms.rate, terms.transitions, terms.bounds, terms.selector,
        terms.score.log_probability.defined() ? terms.score.log_probability.sum() : at::Tensor()}) {
    if (!term.defined()) continue;
    out.terms.push_back(term);
    loss = loss.defined() ? loss + weight * term : weight * term;
    weight *= 0.7;
  }
  for (const at::Tensor& split : {terms.score.selected, terms.score.changes}) {
    if (split.defined()) out.terms.push_back(split);
  }
  out.gradients = torch::autograd::grad({loss}, model.trained_parameters(), {}, c10::nullopt, false,
                                        /*allow_unused=*/true);
  return out;
}

TEST_F(Gpu, LossesAndGradientsAreTheCpus) {
  const at::Device gpu = choose_device("cuda");
  for (const Case& c : every_model()) {
    for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
      for (const Gates gates : {Gates::Drawn, Gates::Open, Gates::Decided}) {
        SCOPED_TRACE(fmt::format("{}, {}, gates {}", c.name,
                                 type == at::kDouble ? "double" : "float",
                                 static_cast<int>(gates)));
        const double tolerance = type == at::kDouble ? 1e-9 : 2e-4;
        const auto here = c.make();
        const auto there = c.make();
        here->to(type);
        there->to(gpu, type);
        const Batch batch = all_of(c.set);
        const Pass a = pass(*here, batch, gates);
        // With rows and cells that are nobody's, as recorded steps have them.
        const bool room = there->recordable();
        const BatchUpload sent(batch, room ? batch.words.size(0) + 37 : 0,
                               room ? batch.units() + 53 : 0);
        const Pass b = pass(*there, sent.to(gpu), gates);
        ASSERT_EQ(a.terms.size(), b.terms.size());
        for (size_t i = 0; i < a.terms.size(); ++i) {
          EXPECT_LT(distance(b.terms[i], a.terms[i]), tolerance) << "term " << i;
        }
        for (size_t i = 0; i < a.gradients.size(); ++i) {
          ASSERT_EQ(a.gradients[i].defined(), b.gradients[i].defined()) << i;
          if (!a.gradients[i].defined()) continue;
          // A softmax does not move with a bias: its gradient is nothing but rounding.
          if (a.gradients[i].abs().max().item<double>() < 1e-6) continue;
          EXPECT_LT(distance(b.gradients[i], a.gradients[i]), tolerance)
              << "gradient of parameter " << i;
        }
      }
    }
  }
}

TEST_F(Gpu, TheSamePassGivesTheSameBits) {
  const at::Device gpu = choose_device("cuda");
  for (const Case& c : every_model()) {
    // Soft attention over words, and the bias by distance, add up as it comes.
    if (c.name.ends_with(" 4") || c.name.find("intra") != std::string::npos) continue;
    SCOPED_TRACE(c.name);
    const auto model = c.make();
    model->to(gpu);
    const Batch batch = all_of(c.set).to(gpu);
    const Pass first = pass(*model, batch, Gates::Drawn);
    const Pass again = pass(*model, batch, Gates::Drawn);
    for (size_t i = 0; i < first.gradients.size(); ++i) {
      if (first.gradients[i].defined()) {
        EXPECT_TRUE(at::equal(first.gradients[i], again.gradients[i])) << i;
      }
    }
  }
}

void expect_same(const std::vector<ExamplePrediction>& a, const std::vector<ExamplePrediction>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    for (const auto& [x, y] :
         {std::pair(&a[i].scores, &b[i].scores), std::pair(&a[i].z, &b[i].z),
          std::pair(&a[i].p_zero, &b[i].p_zero), std::pair(&a[i].p_one, &b[i].p_one)}) {
      ASSERT_EQ(x->size(), y->size());
      for (size_t k = 0; k < x->size(); ++k) EXPECT_NEAR((*x)[k], (*y)[k], 2e-4);
    }
    EXPECT_NEAR(a[i].task_loss, b[i].task_loss, 2e-4);
  }
}

TEST_F(Gpu, PredictsAndDecidesAsTheCpu) {
  const at::Device gpu = choose_device("cuda");
  const auto team = tensor_workers(1);
  for (const Case& c : every_model()) {
    SCOPED_TRACE(c.name);
    const auto here = c.make();
    const auto there = c.make();
    there->to(gpu);
    const Batch batch = all_of(c.set);
    std::vector<Choice> choices = {Choice{}};
    if (here->gated()) choices.push_back({Decision::Binary, 0.61, 0.0, 0});
    if (here->selects() && !batch.is_pairs()) {
      choices.push_back({Decision::Binary, 0.0, 0.25, 0});
      choices.push_back({Decision::Binary, 0.0, 0.25, 2});
    }
    for (const Choice& choice : choices) {
      SCOPED_TRACE(fmt::format("threshold {}, budget {}, spans {}", choice.threshold, choice.budget,
                               choice.spans));
      here->set_choice(choice);
      there->set_choice(choice);
      expect_same(predict_all(*there, c.set, *team), predict_all(*here, c.set, *team));
    }
  }
}

// Larger than the shared memory of a multiprocessor holds, and more sequences than blocks.
TEST_F(Gpu, RecurrencesOfEverySizeAreTheCpus) {
  const at::Device gpu = choose_device("cuda");
  for (const int64_t hidden : {1, 150, 200, 300, 700}) {
    for (const int64_t sequences : {3, 140, 300, 700}) {
      for (const CellKind cell : {CellKind::Lstm, CellKind::Rcnn}) {
        SCOPED_TRACE(fmt::format("{} units, {} sequences, cell {}", hidden, sequences,
                                 static_cast<int>(cell)));
        std::vector<int64_t> lengths;
        for (int64_t i = 0; i < sequences; ++i) lengths.push_back(1 + (sequences - i) % 7);
        std::sort(lengths.rbegin(), lengths.rend());
        const Packed packed(lengths);
        at::manual_seed(4);
        BiEncoder here(cell, EncoderOptions{5, hidden}, RandomKey(1));
        BiEncoder there(cell, EncoderOptions{5, hidden}, RandomKey(1));
        there->to(gpu);
        const at::Tensor x = at::randn({packed.rows(), 5});
        const at::Tensor a = here->states(x, packed);
        const at::Tensor b = there->states(x.to(gpu), packed.to(gpu));
        EXPECT_LT(distance(b, a), 1e-5);
        const at::Tensor weight = at::randn_like(a);
        const auto grads = [](const at::Tensor& out, const at::Tensor& w, BiEncoder& encoder) {
          return torch::autograd::grad({(out * w).sum()}, encoder->parameters());
        };
        const auto ga = grads(a, weight, here);
        const auto gb = grads(b, weight.to(gpu), there);
        for (size_t i = 0; i < ga.size(); ++i) EXPECT_LT(distance(gb[i], ga[i]), 1e-4) << i;
      }
    }
  }
}

TEST_F(Gpu, FinalStatesOfWeightedWordsAreTheCpus) {
  const at::Device gpu = choose_device("cuda");
  for (const int64_t hidden : {1, 64, 150, 300}) {
    for (const CellKind cell : {CellKind::Lstm, CellKind::Rcnn}) {
      for (const ReadingRule rule : {ReadingRule::Fade, ReadingRule::Published}) {
        SCOPED_TRACE(fmt::format("{} units, cell {}, rule {}", hidden, static_cast<int>(cell),
                                 static_cast<int>(rule)));
        std::vector<int64_t> lengths;
        for (int64_t i = 0; i < 40; ++i) lengths.push_back(1 + (40 - i) % 9);
        std::sort(lengths.rbegin(), lengths.rend());
        const Packed packed(lengths);
        at::manual_seed(4);
        const at::Tensor x = at::randn({packed.rows(), 5});
        const at::Tensor z =
            at::clamp(at::rand({packed.rows()}) * 1.6 - 0.3, 0.0, 1.0);  // also 0 and 1
        const auto gradients = [&](at::Device device) {
          BiEncoder encoder(cell, EncoderOptions{5, hidden, rule}, RandomKey(1));
          encoder->to(device);
          const Packed here = device.is_cuda() ? packed.to(device) : packed;
          std::vector<at::Tensor> leaves = encoder->parameters();
          leaves.push_back(x.to(device).requires_grad_(true));
          leaves.push_back(z.to(device).requires_grad_(true));
          const at::Tensor& words = leaves[leaves.size() - 2];
          const Reading reading = encoder->read(here, leaves.back());
          const bool all = !reading.rows.defined();
          const at::Tensor out = encoder->summary(
              all ? words : words.index_select(0, reading.rows),
              all ? leaves.back() : leaves.back().index_select(0, reading.rows), reading);
          const at::Tensor weight = at::arange(out.numel(), at::kFloat).sin().view(out.sizes());
          auto grads = torch::autograd::grad({(out * weight.to(device)).sum()}, leaves);
          // A word that is left out gets no gradient; published, an LSTM's zero vectors get none
          // on the CPU.
          grads.back() = grads.back() * (z.to(device) != 0);
          grads.push_back(out.detach());
          return grads;
        };
        const auto a = gradients(at::Device(at::kCPU));
        const auto b = gradients(gpu);
        for (size_t i = 0; i < a.size(); ++i) EXPECT_LT(distance(b[i], a[i]), 1e-4) << i;
      }
    }
  }
}

TEST_F(Gpu, TooManyUnitsAreToldInALine) {
  const at::Device gpu = choose_device("cuda");
  BiEncoder encoder(CellKind::Rcnn, EncoderOptions{2, 10000}, RandomKey(1));
  encoder->to(gpu);
  const Packed packed = Packed({2}).to(gpu);
  const at::Tensor out = encoder->states(at::randn({2, 2}).to(gpu), packed);
  try {
    torch::autograd::grad({out.sum()}, encoder->parameters());
    FAIL() << "it fits";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("--device cpu"), std::string::npos) << error.what();
  }
}

// From the third step on with rates of their own.
TEST_F(Gpu, AdamStepsAsOnTheCpu) {
  const at::Device gpu = choose_device("cuda");
  at::manual_seed(5);
  std::vector<at::Tensor> here = {at::randn({300, 7}), at::randn({11}), at::randn({3})};
  std::vector<at::Tensor> there;
  for (const at::Tensor& p : here) there.push_back(p.to(gpu));
  Adam a(here, 1e-3);
  Adam b(there, 1e-3);
  const auto team = tensor_workers(1);
  for (int step = 0; step < 4; ++step) {
    std::vector<at::Tensor> gradients = {at::randn({300, 7}), at::randn({11}), at::Tensor()};
    std::vector<at::Tensor> moved;
    for (const at::Tensor& g : gradients) moved.push_back(g.defined() ? g.to(gpu) : g);
    if (step == 2) {
      a.set_scales({1.0, 0.3, 0.5});
      b.set_scales({1.0, 0.3, 0.5});
    }
    const double norm = a.step({gradients}, 0.1, step % 2 == 0 ? 5.0 : 1e9, *team);
    b.step({moved}, 0.1, step % 2 == 0 ? 5.0 : 1e9, *team);
    EXPECT_NEAR(b.take_largest_norm(), norm, 1e-3);
  }
  for (size_t p = 0; p < here.size(); ++p) EXPECT_LT(distance(there[p], here[p]), 1e-5);
  b.step({{at::full({300, 7}, NAN).to(gpu), {}, {}}}, 0.1, 5.0, *team);
  b.step({{at::ones({300, 7}).to(gpu), {}, {}}}, 0.0, 5.0, *team);
  EXPECT_TRUE(std::isnan(b.take_largest_norm()));
  EXPECT_TRUE(at::isfinite(there[0]).all().item<bool>());
}

// A whole training run: the same losses for a few epochs, and the same model on the CPU afterwards.
TEST_F(Gpu, TrainingIsThatOfTheCpu) {
  Config config;
  config.model.hidden = 16;
  config.train.epochs = 3;
  config.train.batch = 5;
  config.train.workers = 1;
  config.task.labels = {"0", "1"};
  std::vector<Example> set;
  for (int repeat = 0; repeat < 6; ++repeat) {
    for (const Example& text : texts(false)) set.push_back(text);
  }
  const auto run = [&](at::Device device, std::shared_ptr<TextModel>& model) {
    model = make_model(config, embedding());
    model->to(device);
    return train_network({config, set, set, model});
  };
  std::shared_ptr<TextModel> here;
  std::shared_ptr<TextModel> there;
  const TrainOutcome a = run(at::kCPU, here);
  const TrainOutcome b = run(choose_device("cuda"), there);
  for (size_t e = 0; e < a.epochs.size(); ++e) {
    EXPECT_NEAR(a.epochs[e].train_loss, b.epochs[e].train_loss, 2e-3);
    EXPECT_NEAR(a.epochs[e].train_rate, b.epochs[e].train_rate, 2e-3);
  }
  const auto team = tensor_workers(1);
  const auto on_device = predict_all(*there, set, *team);
  there->to(at::kCPU);
  const auto on_cpu = predict_all(*there, set, *team);
  for (size_t i = 0; i < set.size(); ++i) {
    EXPECT_EQ(on_device[i].best(), on_cpu[i].best());
    EXPECT_NEAR(on_device[i].scores[0], on_cpu[i].scores[0], 1e-4);
  }
}

// Fixed vectors: steps are recorded and done again.
TEST_F(Gpu, RecordedTrainingIsThatOfTheCpu) {
  for (const ModelKind kind : {ModelKind::FullText, ModelKind::HardKuma, ModelKind::HardConcrete,
                               ModelKind::PairAttention, ModelKind::PairHardKuma}) {
    for (const bool dependent : {false, true}) {
      if (dependent && kind != ModelKind::HardKuma) continue;
      SCOPED_TRACE(fmt::format("{}{}", name_of(kind), dependent ? " dependent" : ""));
      Config config;
      config.data.vectors = "fixed";
      config.model.kind = kind;
      config.model.hidden = 16;
      config.model.dependent = dependent;
      if (dependent) config.model.encoder = EncoderKind::Rcnn;
      config.train.epochs = 6;
      config.train.batch = 8;
      config.train.workers = 1;
      config.task.labels = {"0", "1"};
      std::vector<Example> set;
      for (int repeat = 0; repeat < 8; ++repeat) {
        for (const Example& one : reads_pairs(config) ? pairs() : texts(false)) {
          set.push_back(one);
        }
      }
      const auto run = [&](at::Device device) {
        const auto model = make_model(config, embedding());
        EXPECT_TRUE(model->recordable());
        model->to(device);
        return train_network({config, set, set, model});
      };
      const TrainOutcome a = run(at::kCPU);
      const TrainOutcome b = run(choose_device("cuda"));
      EXPECT_GT(b.use.kernels, 0);  // some were recorded
      const bool gated = has_gates(config);
      for (size_t e = 0; e < a.epochs.size(); ++e) {
        EXPECT_NEAR(a.epochs[e].train_loss, b.epochs[e].train_loss, 1e-4) << e;
        EXPECT_NEAR(a.epochs[e].train_rate, b.epochs[e].train_rate, 1e-4) << e;
        EXPECT_NEAR(a.epochs[e].lambda, b.epochs[e].lambda, 1e-3) << e;
        if (gated) continue;  // a gate that just flips moves what is decided at prediction
        EXPECT_NEAR(a.epochs[e].dev.task_loss, b.epochs[e].dev.task_loss, 5e-3) << e;
      }
    }
  }
}

TEST(Device, IsChosenOrRefusedWithTheWayOut) {
  EXPECT_TRUE(choose_device("cpu").is_cpu());
  EXPECT_EQ(device_name(at::kCPU), "CPU");
  if (!choose_device("auto").is_cpu()) return;
  try {
    choose_device("cuda");
    FAIL() << "there is no GPU";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--device cpu"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hardkuma
