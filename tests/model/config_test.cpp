#include "hardkuma/model/config.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "hardkuma/train/presets.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;

TEST(Config, SurvivesToml) {
  Config config;
  config.objective.target = 0.07;
  config.data.vectors = "path with \"quotes\".txt";
  config.train.milestones = "3,4";
  config.task.labels = {"good", "it's \"so\""};
  Config back;
  overlay_toml(back, to_toml(config), "x.toml");
  EXPECT_EQ(to_toml(back), to_toml(config));
  config.task = {true, {}, -2.5, 10.0};
  Config again;
  overlay_toml(again, to_toml(config), "x.toml");
  EXPECT_EQ(again.task.low, -2.5);
  EXPECT_TRUE(again.task.regression);
}

TEST(Config, EverySettingCanBeSetByName) {
  Config config;
  for (const Setting& setting : settings(config)) {
    EXPECT_FALSE(setting.help.empty()) << setting.name;
    const bool is_bool = std::holds_alternative<bool*>(setting.value);
    const bool is_text = std::holds_alternative<std::string*>(setting.value);
    const std::string value = is_bool                   ? "true"
                              : !is_text                ? "1"
                              : setting.choices.empty() ? "x"
                                                        : setting.choices.back();
    set_config(config, setting.name, value, "test");
  }
}

TEST(Config, MistakesGetALineAndASuggestion) {
  Config config;
  const auto error = [&](const char* toml) {
    return message_of<InputError>([&] { overlay_toml(config, toml, "c.toml"); });
  };
  EXPECT_EQ(error("[train]\n\nepoch = 3\n"),
            "c.toml:3: unknown key \"train.epoch\"; did you mean \"train.epochs\"?");
  EXPECT_EQ(error("[train]\nepochs = \"3\"\n"), "c.toml:2: train.epochs must be a whole number");
  EXPECT_NE(error("[model]\nkind = \"hardcuma\"\n")
                .find("did you mean \"hardkuma\"?; there are: hardkuma, bernoulli, "),
            std::string::npos);
  EXPECT_NE(error("epochs = 3\n").find("stands outside a [section]"), std::string::npos);
  EXPECT_NE(error("[train\n").find("c.toml:1: "), std::string::npos);
  EXPECT_NE(message_of<InputError>([&] {
              set_config(config, "train.lr", "1", "--set");
            }).find("unknown key \"train.lr\""),
            std::string::npos);
}

TEST(Config, ABaselineSavedAsAFlagIsUnderstood) {
  Config config;
  overlay_toml(config, "[objective]\nbaseline = false\n", "old.toml");
  EXPECT_EQ(config.objective.baseline, "none");
  overlay_toml(config, "[objective]\nbaseline = true\n", "old.toml");
  EXPECT_EQ(config.objective.baseline, "running");
}

TEST(Config, ACalibrationSavedAsAWordIsUnderstood) {
  Config config;
  overlay_toml(config, "[train]\ncalibrate = \"none\"\n", "old.toml");
  EXPECT_FALSE(config.train.calibrate);
  overlay_toml(config, "[train]\ncalibrate = \"words\"\n", "old.toml");
  EXPECT_TRUE(config.train.calibrate);
  EXPECT_THROW(overlay_toml(config, "[train]\ncalibrate = \"off\"\n", "x.toml"), InputError);
}

TEST(Config, RatesAreSharesOrPercent) {
  EXPECT_DOUBLE_EQ(parse_rate("15%", "x"), 0.15);
  EXPECT_DOUBLE_EQ(parse_rate("0.15", "x"), 0.15);
  EXPECT_THROW(parse_rate("a lot", "x"), InputError);
  Config config;
  config.objective.target = 15;
  EXPECT_NE(message_of<InputError>([&] { validate(config); }).find("did you mean 15%?"),
            std::string::npos);
}

TEST(Config, OutOfRangeValuesAreNamed) {
  const auto error = [](const char* name, const char* value) {
    Config config;
    set_config(config, name, value, "x");
    return message_of<InputError>([&] { validate(config); });
  };
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"train.epochs", "0"},
                                                        {"train.batch", "0"},
                                                        {"model.dropout", "1"},
                                                        {"train.learning_rate", "0"},
                                                        {"objective.target", "0"},
                                                        {"data.dev_fraction", "1"},
                                                        {"model.hidden", "0"},
                                                        {"controller.alpha", "1"},
                                                        {"controller.patience", "-1"}}) {
    EXPECT_NE(error(name, value).find(name), std::string::npos) << name;
  }
}

TEST(Presets, AreValidAndUnknownOnesAreSuggested) {
  for (const auto& [name, text] : preset_table())
    EXPECT_NO_THROW(validate(preset_config(name))) << name;
  EXPECT_EQ(preset_config("sst").model.hidden, 150);
  EXPECT_NE(message_of<UsageError>([] { preset_config("ssst"); }).find("did you mean \"sst\"?"),
            std::string::npos);
}

TEST(Config, ThresholdsAreTwoRisingNumbers) {
  EXPECT_EQ(parse_thresholds("0.4,0.6"), (std::pair<double, double>{0.4, 0.6}));
  for (const char* text : {"0.4", "0.6,0.4", "a,b", "0.4,", ""}) {
    EXPECT_THROW(parse_thresholds(text), InputError) << text;
  }
  Config config;
  config.data.binarise = "1";
  EXPECT_THROW(validate(config), InputError);
}

}  // namespace
}  // namespace hardkuma
