#include "hardkuma/train/controller.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hardkuma {
namespace {

Config config_with(ControllerKind name, double target) {
  Config config;
  config.controller.name = name;
  config.objective.target = target;
  return config;
}

// To 10% in the first half of the run.
Config descending_at_once() {
  Config config = config_with(ControllerKind::Default, 0.1);
  config.controller.warmup = 0.0;
  config.controller.descent = 0.5;
  return config;
}

TEST(PaperController, FollowsThePublishedRecurrence) {
  Config config = config_with(ControllerKind::Paper, 0.4);
  config.controller.paper_alpha = 0.9;
  config.controller.paper_eta = 0.01;
  config.controller.lambda = 1e-4;
  Controller controller(config, 100);
  double average = 0;
  double lambda = 1e-4;
  for (int step = 0; step < 50; ++step) {
    const double rate = 0.9 - 0.01 * step;
    average = 0.9 * average + 0.1 * (rate - 0.4);
    lambda *= std::exp(0.01 * average);
    const auto weights = controller.update(step, rate, 0.0);
    EXPECT_NEAR(weights.rate, lambda, 1e-15);
    EXPECT_EQ(weights.lasso, 0.0);
    EXPECT_EQ(weights.bounds, 0.0);
  }
}

TEST(PaperController, HoldsASecondConstraintAndClamps) {
  Config config = config_with(ControllerKind::Paper, 0.1);
  config.objective.lasso = 0.02;
  config.controller.lambda_max = 5.0;
  config.controller.paper_eta = 10.0;
  config.controller.paper_alpha = 0.5;
  Controller controller(config, 100);
  Controller::Weights weights;
  for (int step = 0; step < 200; ++step) weights = controller.update(step, 1.0, 0.5);
  EXPECT_EQ(weights.rate, 5.0);
  EXPECT_EQ(weights.lasso, 5.0);
  EXPECT_GT(controller.update(200, 0.0, 0.0).rate, 0.0);  // it can never push up
}

TEST(FixedController, IsConstant) {
  Config config = config_with(ControllerKind::Fixed, 0.1);
  config.controller.lambda = 0.3;
  config.controller.lasso_weight = 0.2;
  Controller controller(config, 100);
  const auto weights = controller.update(5, 0.9, 0.1);
  EXPECT_EQ(weights.rate, 0.3);
  EXPECT_EQ(weights.lasso, 0.2);
  EXPECT_FALSE(controller.warming_up(0));
}

TEST(FixedController, ChargesABernoulliForCounts) {
  Config config = config_with(ControllerKind::Fixed, 0.1);
  config.model.kind = ModelKind::Bernoulli;
  config.controller.word_cost = 3e-4;
  config.controller.change_cost = 6e-4;
  const auto weights = Controller(config, 100).update(5, 0.9, 0.1);
  EXPECT_EQ(weights.rate, 3e-4);
  EXPECT_EQ(weights.lasso, 6e-4);
}

// Few transitions at a high rate would leave a text nothing but to be selected whole or not at all.
TEST(DefaultController, AllowsTransitionsFirstAndFewAtTheEnd) {
  Config config = descending_at_once();
  config.objective.lasso = 0.02;
  const auto lasso_at = [&](int64_t last, double follows) {
    Controller controller(config, 100);
    double lasso = controller.update(0, 0.9, 0.1).lasso;
    for (int64_t step = 1; step <= last; ++step) {
      lasso = controller.update(step, follows > 0.0 ? follows : controller.goal(), 0.1).lasso;
    }
    return lasso;
  };
  EXPECT_EQ(lasso_at(1, 0.0), 0.0);   // allowed: nearly every other word
  EXPECT_EQ(lasso_at(20, 0.0), 0.0);  // 0.14
  EXPECT_GT(lasso_at(30, 0.0), 0.0);  // 0.07
  EXPECT_GT(lasso_at(60, 0.0), lasso_at(30, 0.0));
  EXPECT_EQ(lasso_at(30, 0.9), 0.0);  // a goal that waits allows as many as before
}

TEST(DefaultController, WarmsUpComesDownAndHolds) {
  Config config = config_with(ControllerKind::Default, 0.1);
  config.controller.warmup = 0.2;
  config.controller.descent = 0.3;
  Controller controller(config, 1000);
  EXPECT_TRUE(controller.warming_up(199));
  EXPECT_FALSE(controller.warming_up(200));
  double last = 2.0;
  for (int step = 200; step < 500; ++step) {
    EXPECT_TRUE(controller.descending(step));
    controller.update(step, controller.goal() < 1 ? controller.goal() : 0.95, 0.0);
    EXPECT_LT(controller.goal(), last);
    last = controller.goal();
  }
  controller.update(500, 0.1, 0.0);
  EXPECT_FALSE(controller.descending(500));
  EXPECT_DOUBLE_EQ(controller.goal(), 0.1);
}

TEST(DefaultController, TheWarmUpEndsWhenTheClassifierOverfits) {
  struct Epoch {
    double train;
    double dev;
  };
  // Epochs of 10 steps; when the warm-up is over, at most 40.
  const auto warm_steps = [](const std::vector<Epoch>& epochs, int64_t patience,
                             double trivial = 2.0) {
    Config config = config_with(ControllerKind::Default, 0.1);
    config.controller.warmup = 0.4;
    config.controller.descent = 0.3;
    config.controller.patience = patience;
    Controller controller(config, 100);
    int64_t step = 0;
    for (const Epoch& epoch : epochs) {
      controller.epoch_done(step += 10, epoch.train, epoch.dev, trivial);
    }
    while (controller.warming_up(step)) ++step;
    EXPECT_TRUE(controller.descending(step + 29));
    EXPECT_FALSE(controller.descending(step + 30));
    return step;
  };
  const std::vector<Epoch> overfitting = {{1.0, 1.0}, {0.5, 1.1}, {0.4, 1.2}};
  EXPECT_EQ(warm_steps(overfitting, 2), 30);
  EXPECT_EQ(warm_steps(overfitting, 3), 40);
  EXPECT_EQ(warm_steps(overfitting, 0), 40);
  EXPECT_EQ(warm_steps({{1.0, 1.0}, {0.5, 1.1}, {0.4, 0.9}}, 2), 40);  // it still learns
  EXPECT_EQ(warm_steps({{1.0, 1.0}, {1.0, 1.1}, {1.0, 1.1}}, 2), 40);  // it has not begun to
  EXPECT_EQ(warm_steps(overfitting, 2, 1.1), 40);  // it overfitted from the start
  // Of a density, losses may be negative.
  EXPECT_EQ(warm_steps({{-1.0, -1.0}, {-1.0, -0.9}, {-1.1, -0.9}}, 2), 30);
  EXPECT_EQ(warm_steps({{-1.0, -1.0}, {-0.9, -0.9}, {-0.8, -0.9}}, 2), 40);
}

TEST(DefaultController, WhatWasLearnedBeforeNeedsNoWarmUp) {
  Config config;
  config.objective.target = 0.1;
  config.train.start = "a.model";
  Controller controller(config, 100);
  EXPECT_FALSE(controller.warming_up(0));
  controller.update(0, 0.4, 0.0);
  // Down from where it is; the first of thirty steps.
  EXPECT_NEAR(controller.goal(), 0.4 * std::pow(0.1 / 0.4, 1.0 / 30.0), 1e-9);
  controller.update(99, 0.4, 0.0);
  EXPECT_NEAR(controller.goal(), 0.1, 1e-9);
}

TEST(DefaultController, PushesBothWays) {
  Config config = config_with(ControllerKind::Default, 0.2);
  config.controller.warmup = config.controller.descent = 0.0;
  Controller high(config, 100);
  Controller low(config, 100);
  for (int step = 0; step < 20; ++step) {
    EXPECT_GT(high.update(step, 0.5, 0.0).rate, 0.0);
    EXPECT_LT(low.update(step, 0.0, 0.0).rate, 0.0);
  }
}

// Something like a model: it answers to the weight with inertia, and what a word is worth to it, be
// it less than nothing, falls as there are more. The rate must settle on target.
TEST(DefaultController, SettlesASlowPlant) {
  const double eta = Config().controller.eta;
  for (const auto& [gain, total] : std::vector<std::pair<double, int64_t>>{
           {1.0, 1000}, {1.0, 4000}, {1.0, 20000}, {eta, 1000}, {eta, 4000}, {eta, 20000}}) {
    for (const double target : {0.02, 0.05, 0.15, 0.4, 0.8}) {
      for (const double worth : {-0.03, 0.03, 0.15, 0.4, 0.8}) {
        Config config = config_with(ControllerKind::Default, target);
        config.controller.eta = gain;
        Controller controller(config, total);
        double logit = 4.0;
        double motion = 0.0;
        double furthest = 0.0;  // over the last tenth
        const auto rate = [&] { return 1.0 / (1.0 + std::exp(-logit)); };
        for (int64_t step = std::llround(0.35 * static_cast<double>(total)); step < total; ++step) {
          const double weight = controller.update(step, rate(), 0.0).rate;
          const double force = (worth / rate() - weight) * rate() * (1.0 - rate());
          motion = 0.9 * motion + 0.1 * force;
          logit += 0.2 * motion;
          if (10 * step >= 9 * total) furthest = std::max(furthest, std::abs(rate() - target));
        }
        // The multiplier has to rise to the value of a word, which with the default's gain takes
        // longer.
        const double bound = gain == 1.0   ? (worth > 0.5 ? 0.04 : 0.015)
                             : worth > 0.5 ? 0.13
                             : worth > 0.2 ? 0.03
                                           : 0.015;
        EXPECT_LT(furthest, bound) << gain << " " << total << " " << target << " " << worth;
      }
    }
  }
}

TEST(DefaultController, OneSidedOnlyEverPushesDown) {
  Config config = config_with(ControllerKind::Default, 0.2);
  config.controller.warmup = config.controller.descent = 0.0;
  config.controller.one_sided = true;
  Controller controller(config, 100);
  EXPECT_EQ(controller.update(0, 0.0, 0.0).rate, 0.0);
  for (int step = 1; step < 30; ++step) controller.update(step, 0.6, 0.0);
  EXPECT_GT(controller.lambda(), 0.0);
}

TEST(DefaultController, ACorrectedAverageKnowsTheErrorAtOnce) {
  Config config = config_with(ControllerKind::Default, 0.2);
  config.controller.warmup = config.controller.descent = config.controller.eta = 0.0;
  config.controller.rho = 1.0;
  config.controller.alpha = 0.9;
  // Odds of 1/3 instead of 1/4.
  const double whole = std::log(4.0 / 3.0) / (0.2 * 0.8);
  EXPECT_NEAR(Controller(config, 100).update(0, 0.25, 0.0).rate, whole, 1e-12);
  config.controller.corrected = false;
  EXPECT_NEAR(Controller(config, 100).update(0, 0.25, 0.0).rate, 0.1 * whole, 1e-12);
}

TEST(DefaultController, IsTheSameForALotAndForALittle) {
  const auto weight = [](double target, double rate) {
    Config config = config_with(ControllerKind::Default, target);
    config.controller.warmup = config.controller.descent = 0.0;
    return Controller(config, 100).update(0, rate, 0.0).rate;
  };
  EXPECT_NEAR(weight(0.1, 0.15), -weight(0.9, 0.85), 1e-12);
  EXPECT_GT(weight(0.1, 0.15), 0.0);
  EXPECT_NEAR(weight(0.1, 0.4), weight(0.1, 0.95), 1e-12);  // far off is far off
}

TEST(DefaultController, AtALargeErrorTheMultiplierGrowsSlowly) {
  const auto wound = [](double rate) {
    Config config = config_with(ControllerKind::Default, 0.1);
    config.controller.warmup = config.controller.descent = config.controller.rho = 0.0;
    Controller controller(config, 1000);
    for (int step = 0; step < 100; ++step) controller.update(step, rate, 0.0);
    return controller.lambda();
  };
  EXPECT_LT(wound(0.9), 0.4 * wound(0.22));  // 0.22: nearly one off
  EXPECT_GT(wound(0.9), 0.1 * wound(0.22));
  // But a multiplier of the wrong sign falls at full speed, however far off the rate is.
  Config config = config_with(ControllerKind::Default, 0.1);
  config.controller.warmup = config.controller.descent = config.controller.rho = 0.0;
  Controller controller(config, 1000);
  for (int step = 0; step < 100; ++step) controller.update(step, 0.22, 0.0);
  EXPECT_GT(controller.lambda(), 0.0);
  for (int step = 100; step < 220; ++step) controller.update(step, 0.001, 0.0);
  EXPECT_LT(controller.lambda(), 0.0);
}

TEST(DefaultController, TheGoalComesDownAsItsScheduleSays) {
  const auto halfway = [](Descent schedule, double follows) {
    Config config = config_with(ControllerKind::Default, 0.1);
    config.controller.warmup = 0.0;
    config.controller.descent = 1.0;
    config.controller.schedule = schedule;
    Controller controller(config, 100);
    controller.update(0, 0.9, 0.0);
    for (int step = 1; step < 50; ++step) {
      controller.update(step, follows > 0.0 ? follows : controller.goal(), 0.0);
    }
    return controller.goal();
  };
  EXPECT_NEAR(halfway(Descent::Geometric, 0.0), 0.3, 1e-9);
  EXPECT_NEAR(halfway(Descent::Geometric, 0.9), 0.3, 1e-9);
  EXPECT_NEAR(halfway(Descent::Linear, 0.0), 0.5, 1e-9);
  EXPECT_NEAR(halfway(Descent::Achieved, 0.0), 0.3, 1e-9);  // geometric where the rate follows
  EXPECT_GT(halfway(Descent::Achieved, 0.9), 0.6);          // and waiting where it does not
}

TEST(DefaultController, AGoalThatWaitedIsThereInTimeAllTheSame) {
  Controller controller(descending_at_once(), 200);
  for (int step = 0; step < 40; ++step) controller.update(step, 0.9, 0.0);
  EXPECT_GT(controller.goal(), 0.6);
  double steepest = 1.0;
  for (int step = 40; step < 100; ++step) {
    const double before = controller.goal();
    controller.update(step, before, 0.0);
    EXPECT_LE(controller.goal(), before);
    steepest = std::min(steepest, controller.goal() / before);
  }
  EXPECT_NEAR(controller.goal(), 0.1, 1e-9);
  EXPECT_GT(steepest, 0.95);  // evenly through the sixty steps that were left
}

TEST(DefaultController, ARateThatNeverFollowsIsAskedForTheTargetInTheEnd) {
  Controller controller(descending_at_once(), 100);
  for (int step = 0; step < 50; ++step) controller.update(step, 0.9, 0.0);
  EXPECT_GT(controller.goal(), 0.6);
  controller.update(50, 0.9, 0.0);
  EXPECT_EQ(controller.goal(), 0.1);
}

TEST(DefaultController, ARateBelowTheTargetIsAskedForTheTargetAtOnce) {
  for (const double start : {0.0, 0.3}) {
    Config config = config_with(ControllerKind::Default, 0.4);
    config.controller.warmup = 0.0;
    config.objective.lasso = 0.02;
    Controller controller(config, 100);
    const auto weights = controller.update(0, start, 0.1);
    EXPECT_EQ(controller.goal(), 0.4);
    EXPECT_LT(weights.rate, 0.0);
    EXPECT_GT(weights.lasso, 0.0);  // as few transitions as are wanted
  }
}

TEST(DefaultController, TheDescentBeginsWhereTheWarmUpEnded) {
  Config config = config_with(ControllerKind::Default, 0.1);
  config.controller.warmup = 0.4;
  config.controller.descent = 0.3;
  Controller controller(config, 100);
  controller.epoch_done(10, 1.0, 1.0, 2.0);
  controller.epoch_done(20, 0.5, 1.1, 2.0);
  controller.epoch_done(30, 0.4, 1.2, 2.0);
  ASSERT_FALSE(controller.warming_up(30));
  controller.update(30, 0.9, 0.0);
  EXPECT_NEAR(controller.goal(), 0.9 * std::pow(0.1 / 0.9, 1.0 / 30.0), 1e-12);
}

TEST(DefaultController, SamplesAreStretchedAsPublishedOnceTheRateIsDown) {
  Config config = config_with(ControllerKind::Default, 0.1);
  config.controller.warmup = config.controller.descent = 0.4;
  EXPECT_EQ(Controller(config, 100).support(50).l, -0.1);
  for (const double edge : {0.025, 0.4}) {
    config.controller.edge = edge;
    const Controller controller(config, 100);
    EXPECT_NEAR(controller.support(10).r, 1.0 + edge, 1e-12);
    EXPECT_NEAR(controller.support(40).l, -edge, 1e-12);
    EXPECT_NEAR(controller.support(60).l, -std::sqrt(0.1 * edge), 1e-12);
    EXPECT_EQ(controller.support(80).l, -0.1);
    EXPECT_EQ(controller.support(80).r, 1.1);
  }
}

TEST(DefaultController, LassoIsOneSided) {
  Config config = config_with(ControllerKind::Default, 0.2);
  config.controller.warmup = config.controller.descent = 0.0;
  config.objective.run_length = 4;  // at most 0.1 transitions per word
  Controller controller(config, 100);
  EXPECT_EQ(controller.update(0, 0.2, 0.01).lasso, 0.0);
  Controller other(config, 100);
  EXPECT_GT(other.update(0, 0.2, 0.5).lasso, 0.0);
}

TEST(Controller, AWarmUpsEndSurvivesSaving) {
  const Config config = config_with(ControllerKind::Default, 0.15);
  Controller a(config, 300);
  a.epoch_done(30, 1.0, 1.0, 2.0);
  a.epoch_done(60, 0.5, 1.1, 2.0);
  Controller b(config, 300);
  b.load(a.save());
  for (Controller* controller : {&a, &b}) {
    EXPECT_TRUE(controller->warming_up(90));
    controller->epoch_done(90, 0.5, 1.1, 2.0);
    EXPECT_FALSE(controller->warming_up(90));
  }
  Controller c(config, 300);
  c.load(b.save());
  EXPECT_FALSE(c.warming_up(90));
}

TEST(Controller, StateSurvivesSaving) {
  Config config = config_with(ControllerKind::Default, 0.15);
  config.objective.run_length = 4;
  for (const int stop : {120, 150, 250}) {  // twice within the descent, steps 105 to 194
    Controller a(config, 300);
    for (int step = 105; step < stop; ++step) a.update(step, a.goal() < 1 ? a.goal() : 0.95, 0.2);
    Controller b(config, 300);
    b.load(a.save());
    for (int step = stop; step < 300; ++step) {
      const auto x = a.update(step, 0.3, 0.1);
      const auto y = b.update(step, 0.3, 0.1);
      EXPECT_EQ(a.goal(), b.goal());
      EXPECT_EQ(x.rate, y.rate);
      EXPECT_EQ(x.lasso, y.lasso);
    }
  }
}

TEST(DefaultController, SettlesAtTheEndIfAskedTo) {
  Config config = config_with(ControllerKind::Default, 0.1);
  EXPECT_FALSE(Controller(config, 100).settling(99));
  config.controller.settle = 0.2;
  const Controller controller(config, 100);
  EXPECT_FALSE(controller.settling(79));
  EXPECT_TRUE(controller.settling(80));
  config.controller.name = ControllerKind::Paper;
  EXPECT_FALSE(Controller(config, 100).settling(99));
}

}  // namespace
}  // namespace hardkuma
