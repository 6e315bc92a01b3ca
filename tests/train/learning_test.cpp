// The product's promise, end to end: planted rationales are found, at the rate that was asked for.
#include <gtest/gtest.h>

#include <cmath>

#include "hardkuma/data/tasting_notes.h"
#include "hardkuma/train/demo.h"

namespace hardkuma {
namespace {

class Demo : public testing::TestWithParam<const char*> {};

TEST_P(Demo, FindsThePlantedRationaleAtTheNamedRate) {
  const DemoAspect aspect = run_demo_aspect(GetParam(), {}, nullptr, nullptr);
  EXPECT_NEAR(aspect.test.selected_macro, 0.15, 0.02);
  EXPECT_NEAR(aspect.test.selected_micro, 0.15, 0.02);
  EXPECT_GE(aspect.test.rationale.precision, 0.90);
  EXPECT_GE(aspect.test.metric, aspect.full_text.metric - 0.02);
  EXPECT_GE(aspect.full_text.metric, 0.90);
}

INSTANTIATE_TEST_SUITE_P(Aspects, Demo, testing::ValuesIn(kAspects));

}  // namespace
}  // namespace hardkuma
