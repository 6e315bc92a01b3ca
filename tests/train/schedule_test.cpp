#include "hardkuma/train/schedule.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"

namespace hardkuma {
namespace {

Config::Train options(RateSchedule schedule) {
  Config::Train out;
  out.schedule = schedule;
  out.learning_rate = 1.0;
  out.decay = 0.5;
  out.patience = 1;
  out.min_learning_rate = 0.2;
  return out;
}

TEST(Schedule, NoneStays) {
  Schedule s(options(RateSchedule::None));
  s.epoch_done(1, 1.0, true);
  EXPECT_EQ(s.learning_rate(), 1.0);
}

TEST(Schedule, ExponentialStopsAtTheFloor) {
  Schedule s(options(RateSchedule::Exponential));
  for (int i = 1; i < 10; ++i) s.epoch_done(i, 1.0, true);
  EXPECT_DOUBLE_EQ(s.learning_rate(), 0.2);
}

TEST(Schedule, MultistepDropsAtItsEpochs) {
  Config::Train o = options(RateSchedule::Multistep);
  o.milestones = "2, 3";
  Schedule s(o);
  s.epoch_done(1, 1.0, true);
  EXPECT_EQ(s.learning_rate(), 1.0);
  s.epoch_done(2, 1.0, true);
  EXPECT_EQ(s.learning_rate(), 0.5);
  o.milestones = "2,x";
  EXPECT_THROW(Schedule{o}, InputError);
}

TEST(Schedule, PlateauWaitsForPatienceAndForTheObjectiveToSettle) {
  Schedule s(options(RateSchedule::Plateau));
  for (int i = 1; i < 5; ++i) s.epoch_done(i, 1.0 + i, false);
  EXPECT_EQ(s.learning_rate(), 1.0);
  s.epoch_done(5, 1.0, true);
  s.epoch_done(6, 1.1, true);
  EXPECT_EQ(s.learning_rate(), 1.0);
  s.epoch_done(7, 1.1, true);
  EXPECT_EQ(s.learning_rate(), 0.5);
  Schedule back(options(RateSchedule::Plateau));
  back.load(s.save());
  EXPECT_EQ(back.learning_rate(), 0.5);
}

TEST(Schedule, AnnealGoesDownToATenthWhileTheRateIsHeld) {
  Config::Train train = options(RateSchedule::Anneal);
  train.epochs = 10;
  Schedule s(train);
  for (int i = 1; i <= 4; ++i) s.epoch_done(i, 1.0, false);
  EXPECT_EQ(s.learning_rate(), 1.0);
  double last = 1.0;
  for (int i = 5; i <= 10; ++i) {
    Schedule resumed(train);
    resumed.load(s.save());
    s.epoch_done(i, 1.0, true);
    resumed.epoch_done(i, 1.0, true);
    EXPECT_EQ(s.learning_rate(), resumed.learning_rate());
    EXPECT_LT(s.learning_rate(), last);
    last = s.learning_rate();
  }
  EXPECT_DOUBLE_EQ(s.learning_rate(), 0.1);
}

// A log-density may be negative; lower is still better.
TEST(Schedule, PlateauUnderstandsNegativeLosses) {
  Schedule s(options(RateSchedule::Plateau));
  s.epoch_done(1, -1.0, true);
  s.epoch_done(2, -0.99995, true);
  s.epoch_done(3, -0.99995, true);
  EXPECT_EQ(s.learning_rate(), 0.5);
  Schedule improving(options(RateSchedule::Plateau));
  for (int i = 1; i < 8; ++i) improving.epoch_done(i, -1.0 * i, true);
  EXPECT_EQ(improving.learning_rate(), 1.0);
}

}  // namespace
}  // namespace hardkuma
