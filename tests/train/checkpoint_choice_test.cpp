#include "hardkuma/train/checkpoint_choice.h"

#include <gtest/gtest.h>

namespace hardkuma {
namespace {

TEST(HeldRate, IsOfWordsOrOfTexts) {
  Config config;
  config.objective.target = 0.2;
  Evaluation e;
  e.selected_micro = 0.25;
  e.selected_macro = 0.1;
  EXPECT_EQ(selected_share(e, config), 0.25);
  EXPECT_NEAR(distance_from_target(e, config), 0.05, 1e-12);
  config.objective.share = Share::OfTexts;
  EXPECT_EQ(selected_share(e, config), 0.1);
  EXPECT_NEAR(distance_from_target(e, config), 0.1, 1e-12);
}

TEST(Checkpoints, NearTheTargetBeatsLossAndNearerBeatsFarther) {
  Config config;
  config.objective.target = 0.2;
  config.train.tolerance = 0.02;
  const auto at = [](double rate, double loss) {
    Evaluation e;
    e.selected_micro = e.selected_macro = rate;
    e.task_loss = loss;
    return e;
  };
  EXPECT_TRUE(better_checkpoint(at(0.21, 0.9), at(0.5, 0.1), config));
  EXPECT_TRUE(better_checkpoint(at(0.21, 0.3), at(0.2, 0.4), config));
  EXPECT_TRUE(better_checkpoint(at(0.3, 0.9), at(0.5, 0.1), config));
  EXPECT_FALSE(better_checkpoint(at(0.0, 0.1), at(0.19, 5.0), config));
  config.model.kind = ModelKind::FullText;
  EXPECT_TRUE(better_checkpoint(at(1, 0.1), at(1, 0.2), config));
}

}  // namespace
}  // namespace hardkuma
