#include "hardkuma/train/settings_by_data.h"

#include <gtest/gtest.h>

#include "hardkuma/train/presets.h"

namespace hardkuma {
namespace {

Config chosen(const DataSize& size) {
  Config config = preset_config("default");
  choose_settings(config, size);
  return config;
}

TEST(SettingsByData, FewTextsGetMorePassesInSmallerBatches) {
  const Config few = chosen({500, 10'000, 1'000});
  const Config some = chosen({5'000, 100'000, 5'000});
  const Config many = chosen({200'000, 4'000'000, 50'000});
  EXPECT_GT(few.train.epochs, some.train.epochs);
  EXPECT_GT(some.train.epochs, many.train.epochs);
  EXPECT_LT(few.train.batch, some.train.batch);
  EXPECT_LT(some.train.batch, many.train.batch);
  EXPECT_LT(few.train.learning_rate, many.train.learning_rate);
  // 500 texts are still thousands of steps, 200,000 texts a few tens of thousands.
  EXPECT_GE(few.train.epochs * 500 / few.train.batch, 3'000);
  EXPECT_LE(many.train.epochs * 200'000 / many.train.batch, 20'000);
}

TEST(SettingsByData, WordsThatOccurOftenNeedLessRegularisation) {
  const Config rare = chosen({5'000, 100'000, 5'000});
  const Config often = chosen({5'000, 1'000'000, 1'000});
  EXPECT_GT(rare.model.dropout, often.model.dropout);
  EXPECT_GT(rare.train.weight_decay, often.train.weight_decay);
  EXPECT_LT(rare.train.learning_rate, often.train.learning_rate);
  EXPECT_EQ(rare.model.dropout, 0.5);
}

TEST(SettingsByData, WhatWasGivenStays) {
  Config config = preset_config("default");
  config.train.epochs = 3;
  config.train.batch = 7;
  config.train.learning_rate = 0.5;
  config.model.dropout = 0.0;
  config.train.weight_decay = 0.0;
  const std::string before = to_toml(config);
  choose_settings(config, {100, 100, 10});
  EXPECT_EQ(to_toml(config), before);
}

TEST(SettingsByData, ChoicesAreKeptForAResumedRun) {
  const Config from = chosen({500, 10'000, 1'000});
  Config to = preset_config("default");
  keep_choices(from, to);
  EXPECT_EQ(to_toml(to), to_toml(from));
}

TEST(SettingsByData, NoDataIsNoError) {
  const Config config = chosen({});
  EXPECT_GT(config.train.epochs, 0);
  EXPECT_GT(config.train.learning_rate, 0.0);
  validate(config);
}

}  // namespace
}  // namespace hardkuma
