// The product's promise, end to end: planted rationales are found, at the rate that was asked for.
#include <ATen/TensorOperators.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hardkuma/common/random.h"
#include "hardkuma/data/tasting_notes.h"
#include "hardkuma/data/tokenizer.h"
#include "hardkuma/model/make_model.h"
#include "hardkuma/model/predictor.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/demo.h"
#include "hardkuma/train/objective.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/presets.h"
#include "hardkuma/train/trainer.h"
#include "hardkuma/train/training_run.h"

namespace hardkuma {
namespace {

class Demo : public testing::TestWithParam<const char*> {};

// Processors round the last bit differently, and one run of three may then come out a few points
// lower: what is promised of learning is promised of the median of three seeds, and of the rate in
// each of them.
constexpr int64_t kSeeds = 3;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST_P(Demo, FindsThePlantedRationaleAtTheNamedRate) {
  std::vector<double> precision;
  std::vector<double> lead;  // over the full text
  std::vector<double> full_text;
  for (int64_t seed = 1; seed <= kSeeds; ++seed) {
    DemoOptions options;
    options.seed = seed;
    const DemoAspect aspect = run_demo_aspect(GetParam(), options, nullptr, nullptr);
    EXPECT_NEAR(aspect.test.selected_macro, 0.15, 0.02) << seed;
    EXPECT_NEAR(aspect.test.selected_micro, 0.15, 0.02) << seed;
    precision.push_back(aspect.test.rationale.precision());
    lead.push_back(aspect.test.metric - aspect.full_text.metric);
    full_text.push_back(aspect.full_text.metric);
  }
  EXPECT_GE(median(precision), 0.90);
  EXPECT_GE(median(lead), -0.02);
  EXPECT_GE(median(full_text), 0.90);
}

// The paper's first experiment on data whose evidence is known: aspects that go together, other
// drinks rated in between, scores to regress on. `docs/results.md` has the table of all models.
struct Case {
  ModelKind kind;
  double precision;  // at least
};

class Aspects : public testing::TestWithParam<Case> {};

TEST_P(Aspects, AreToldApartWhenTheyGoTogether) {
  Config config = preset_config("default");
  config.model.kind = GetParam().kind;
  config.model.encoder = EncoderKind::Rcnn;
  config.model.dependent = true;
  config.objective.target = 0.13;
  config.train.workers = available_cores();
  TastingDataset wanted;
  wanted.correlation = 0.7;
  wanted.comparisons = 1;
  wanted.scores = true;
  const Prepared prepared = prepare(tasting_dataset(wanted), config);
  const auto model = make_model(config, prepared.embedding.clone());
  train_network({config, prepared.split("train"), prepared.split("dev"), model});
  const auto workers = tensor_workers(config.train.workers);
  const std::vector<Example>& test = prepared.split("test");
  const Evaluation result = summarise(test, predict_all(*model, test, *workers), config.task);
  EXPECT_GE(result.rationale.precision(), GetParam().precision);
  EXPECT_NEAR(result.selected_micro, 0.13, 0.01);
  EXPECT_LT(result.metric, 0.5 * trivial_loss(test, config));
}

// Notes of which every third lost the sentences on their look; they are a class of their own, and
// nothing in them says so.
RawSplit with_silent_class(RawSplit split) {
  for (size_t i = 0; i < split.examples.size(); i += 3) {
    RawExample& example = split.examples[i];
    for (auto span = example.gold.rbegin(); span != example.gold.rend(); ++span) {  // all ASCII
      example.text.erase(static_cast<size_t>(span->start),
                         static_cast<size_t>(span->end - span->start));
    }
    example.label = "unrated";
    example.gold.clear();
    example.tokens = tokenize(example.text, Tokenizer::Words);
  }
  return split;
}

Evaluation with_silence(double floor, std::vector<std::string>& warnings) {
  Config config = preset_config("default");
  config.model.floor = floor;
  config.train.workers = available_cores();
  RawDataset raw = tasting_dataset({});
  for (auto& [name, split] : raw.splits) split = with_silent_class(std::move(split));
  TrainingRun run = TrainingRun::create(
      "", config, std::make_shared<Prepared>(prepare(std::move(raw), config)), {});
  RunOutcome outcome = run.train(nullptr);
  warnings = outcome.warnings;
  return outcome.splits.back().evaluation;
}

double shown_of(const Evaluation& e, const std::string& label) {
  for (const ClassScores& one : e.by_class) {
    if (one.label == label) return one.selected / e.selected_micro;
  }
  return -1.0;
}

TEST(Silence, IsNoLongerTheMessageOfAClassThatHasNothingToSay) {
  std::vector<std::string> warnings;
  const auto warned = [&] {
    return std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
      return warning.find("predicted as unrated") != std::string::npos;
    });
  };
  const Evaluation before = with_silence(0.0, warnings);
  EXPECT_GT(before.without_evidence, 0);
  EXPECT_LT(shown_of(before, "unrated"), 0.5);
  EXPECT_TRUE(warned());
  const Evaluation after = with_silence(0.5, warnings);
  EXPECT_EQ(after.without_evidence, 0);
  EXPECT_TRUE(shown_of(after, "unrated") >= 0.5 || warned()) << shown_of(after, "unrated");
  EXPECT_GT(shown_of(after, "unrated"), shown_of(before, "unrated"));
  EXPECT_NEAR(after.selected_micro, 0.15, 0.01);
}

// Pairs of texts with a name in each, among other words: is it the same name? There are too many to
// memorise each text, so the link between the two has to be found.
RawSplit named_pairs(int64_t count, uint64_t seed) {
  constexpr uint64_t kNames = 400;
  RawSplit split;
  split.path = "pairs";
  for (int64_t i = 0; i < count; ++i) {
    const RandomKey key = RandomKey(seed).with(static_cast<uint64_t>(i));
    const uint64_t first = key.with(0).below(kNames);
    const uint64_t other = (first + 1 + key.with(1).below(kNames - 1)) % kNames;
    const bool same = key.with(2).below(2) == 0;
    RawExample example;
    example.is_pair = true;
    example.has_gold = same;  // where they differ no link is needed
    example.label = same ? "same" : "other";
    const auto fill = [&](RawText& text, uint64_t words, uint64_t name,
                          const std::string& other_words, RandomKey draw) {
      const uint64_t place = draw.below(words);
      for (uint64_t t = 0; t < words; ++t) {
        const std::string filler = other_words + std::to_string(draw.with(t).below(40));
        append_word(text.text, text.tokens, t == place ? "name" + std::to_string(name) : filler);
        if (t == place) text.gold.push_back({text.tokens.back().start, text.tokens.back().end});
      }
    };
    fill(example, 5 + key.with(3).below(5), first, "left", key.with(4));
    fill(example.second, 3 + key.with(5).below(4), same ? first : other, "right", key.with(6));
    split.examples.push_back(std::move(example));
  }
  return split;
}

Evaluation named_pairs_result(int64_t seed) {
  Config config = preset_config("snli");
  config.train.seed = seed;
  config.model.embedding = 64;
  config.model.hidden = 64;
  config.data.unknown_classes = 0;
  config.data.min_count = 1;
  config.objective.target = 0.02;
  config.train.workers = available_cores();
  RawDataset raw;
  raw.splits["train"] = named_pairs(8000, 1);
  raw.splits["dev"] = named_pairs(500, 2);
  raw.splits["test"] = named_pairs(1000, 3);
  const Prepared prepared = prepare(std::move(raw), config);
  config.data.vectors = "random";  // they stay as they were drawn
  const auto model = make_model(config, 2 * prepared.embedding);
  train_network({config, prepared.split("train"), prepared.split("dev"), model});
  const auto workers = tensor_workers(config.train.workers);
  const std::vector<Example>& test = prepared.split("test");
  return summarise(test, predict_all(*model, test, *workers), config.task);
}

TEST(Pairs, OnlyThePlantedLinkIsFound) {
  std::vector<double> accuracy;
  std::vector<double> recall;
  std::vector<double> precision;
  for (int64_t seed = 1; seed <= kSeeds; ++seed) {
    const Evaluation result = named_pairs_result(seed);
    EXPECT_LE(result.selected_micro, 0.03) << seed;
    accuracy.push_back(result.metric);
    recall.push_back(result.rationale.recall());
    precision.push_back(result.rationale.precision());
  }
  EXPECT_GE(median(accuracy), 0.80);
  // Nearly all of them; precision is what a share a little above theirs leaves. With gates that are
  // drawn to the end, 0.80 and 0.79.
  EXPECT_GE(median(recall), 0.90) << fmt::format("{}", fmt::join(recall, " "));
  EXPECT_GE(median(precision), 0.80) << fmt::format("{}", fmt::join(precision, " "));
}

INSTANTIATE_TEST_SUITE_P(Models, Aspects,
                         testing::Values(Case{ModelKind::HardKuma, 0.95},
                                         Case{ModelKind::HardConcrete, 0.85},
                                         Case{ModelKind::Bernoulli, 0.80},
                                         Case{ModelKind::Attention, 0.70}));

INSTANTIATE_TEST_SUITE_P(Aspects, Demo, testing::ValuesIn(kAspects));

}  // namespace
}  // namespace hardkuma
