// The product's promise, end to end: planted rationales are found, at the rate that was asked for.
#include <gtest/gtest.h>

#include <cmath>

#include "hardkuma/data/tasting_notes.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/train/demo.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/presets.h"

namespace hardkuma {
namespace {

class Demo : public testing::TestWithParam<const char*> {};

TEST_P(Demo, FindsThePlantedRationaleAtTheNamedRate) {
  const DemoAspect aspect = run_demo_aspect(GetParam(), {}, nullptr, nullptr);
  EXPECT_NEAR(aspect.test.selected_macro, 0.15, 0.02);
  EXPECT_NEAR(aspect.test.selected_micro, 0.15, 0.02);
  EXPECT_GE(aspect.test.rationale.precision(), 0.90);
  EXPECT_GE(aspect.test.metric, aspect.full_text.metric - 0.02);
  EXPECT_GE(aspect.full_text.metric, 0.90);
}

// The paper's first experiment on data whose evidence is known: aspects that go together, other
// drinks rated in between, scores to regress on. `docs/results.md` has the table of all models.
struct Case {
  const char* kind;
  double precision;  // at least
};

class Aspects : public testing::TestWithParam<Case> {};

TEST_P(Aspects, AreToldApartWhenTheyGoTogether) {
  Config config = preset_config("default");
  config.model.kind = GetParam().kind;
  config.model.encoder = "rcnn";
  config.model.dependent = true;
  config.objective.target = 0.13;
  config.train.workers = available_cores();
  TastingDataset wanted;
  wanted.correlation = 0.7;
  wanted.comparisons = 1;
  wanted.scores = true;
  const Prepared prepared = prepare(tasting_dataset(wanted), config);
  const auto model = make_model(config, prepared.embedding.clone());
  train({config, prepared.part("train"), prepared.part("dev"), model, {}});
  const auto workers = tensor_workers(config.train.workers);
  const std::vector<Example>& test = prepared.part("test");
  const Evaluation result = summarise(test, predict_all(*model, test, *workers), config.task);
  EXPECT_GE(result.rationale.precision(), GetParam().precision);
  EXPECT_NEAR(result.selected_micro, 0.13, 0.01);
  EXPECT_LT(result.metric, 0.5 * trivial_loss(test, config));
}

INSTANTIATE_TEST_SUITE_P(Models, Aspects,
                         testing::Values(Case{"hardkuma", 0.95}, Case{"hard-concrete", 0.85},
                                         Case{"bernoulli", 0.80}, Case{"attention", 0.70}));

INSTANTIATE_TEST_SUITE_P(Aspects, Demo, testing::ValuesIn(kAspects));

}  // namespace
}  // namespace hardkuma
