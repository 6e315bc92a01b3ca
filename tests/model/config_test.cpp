#include "hardkuma/model/config.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "hardkuma/model/config_layers.h"
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

// TOML drops a line end that opens a text, and cannot hold most control characters as they are.
TEST(Config, LabelsComeBackWhateverTheyHold) {
  const std::vector<std::string> labels = {"\nleading",     "\r\n", "a\tb", "\x1b[31m",   "\x7f",
                                           "say \"\\n\"\n", "",     "日本", "it's \"\"\""};
  Config config;
  config.task.labels = labels;
  config.data.vectors = "\nv\x01.txt";
  Config back;
  overlay_toml(back, to_toml(config), "x.toml");
  EXPECT_EQ(back.task.labels, labels);
  EXPECT_EQ(back.data.vectors, config.data.vectors);
  for (const std::string& label : labels) {
    config.task.labels = {label, "other"};
    overlay_toml(back, to_toml(config), "x.toml");
    EXPECT_EQ(back.task.labels, config.task.labels);
  }
}

TEST(Config, ASettingThatIsNotUtf8IsNamed) {
  Config config;
  EXPECT_EQ(message_of<InputError>([&] { set_config(config, "data.vectors", "caf\xe9", "--set"); }),
            "--set: data.vectors is not UTF-8: bytes:caf%E9; rename the file");
}

TEST(Config, EverySettingCanBeSetByName) {
  Config config;
  for (const Setting& setting : settings(config)) {
    EXPECT_FALSE(setting.help.empty()) << setting.name;
    const bool is_bool = std::holds_alternative<bool*>(setting.value);
    const bool is_text = std::holds_alternative<std::string*>(setting.value);
    const auto* choice = std::get_if<NamedChoice>(&setting.value);
    const std::string value = is_bool             ? "true"
                              : choice != nullptr ? choice->names.back()
                              : is_text           ? "x"
                                                  : "1";
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
  EXPECT_EQ(config.objective.baseline, Baseline::None);
  overlay_toml(config, "[objective]\nbaseline = true\n", "old.toml");
  EXPECT_EQ(config.objective.baseline, Baseline::Running);
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
    return message_of<InputError>([&] {
      set_config(config, name, value, "x");
      validate(config);
    });
  };
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"train.epochs", "-1"},
                                                        {"train.batch", "-1"},
                                                        {"train.batch", "9223372036854775807"},
                                                        {"train.batch", "1048577"},
                                                        {"train.epochs", "1000001"},
                                                        {"model.dropout", "1"},
                                                        {"model.dropout", "-0.5"},
                                                        {"model.floor", "1"},
                                                        {"train.learning_rate", "-1e-3"},
                                                        {"objective.target", "0"},
                                                        {"data.dev_fraction", "1"},
                                                        {"model.hidden", "0"},
                                                        {"controller.alpha", "1"},
                                                        {"controller.patience", "-1"}}) {
    EXPECT_NE(error(name, value).find(name), std::string::npos) << name;
  }
}

TEST(Config, ABatchOfAnAbsurdSizeIsNamed) {
  Config config;
  overlay_toml(config, "[train]\nbatch = 9223372036854775807\n", "c.toml");
  EXPECT_NE(message_of<InputError>([&] { validate(config); }).find("train.batch must be between"),
            std::string::npos);
}

TEST(Config, MilestonesAreEpochs) {
  EXPECT_EQ(parse_milestones("3, 4"), (std::vector<int64_t>{3, 4}));
  for (const char* text : {"1e300", "-1e300", "0", "1.5", "nan", "1e18"}) {
    EXPECT_THROW(parse_milestones(text), InputError) << text;
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

TEST(Config, BrokenUtf8IsRefusedBeforeItIsParsed) {
  Config config;
  EXPECT_EQ(message_of<InputError>(
                [&] { overlay_toml(config, "[train]\n# caf\xe9\nepochs = 3\n", "c.toml"); }),
            "c.toml:2: broken UTF-8; save the file as UTF-8");
}

TEST(Config, WhatHasNoEffectIsAnErrorThatSaysWhere) {
  const auto error = [](const std::vector<std::pair<const char*, const char*>>& given,
                        const char* preset = "default") {
    return message_of<InputError>([&] {
      ConfigLayers layers(preset_config(preset));
      for (const auto& [name, value] : given) layers.set(name, value, "--set");
      layers.finish();
    });
  };
  EXPECT_EQ(error({{"controller.name", "paper"}, {"controller.rho", "0.3"}}),
            "--set: controller.rho has no effect here: it acts with gates and controller.name "
            "default (here model.kind is hardkuma, controller.name paper); leave it out");
  using Given = std::vector<std::pair<const char*, const char*>>;
  for (const Given& given :
       std::vector<Given>{{{"controller.name", "paper"}, {"objective.run_length", "3"}},
                          {{"controller.name", "fixed"}, {"objective.lasso", "0.1"}},
                          {{"controller.name", "paper"}, {"train.calibrate", "false"}},
                          {{"model.kind", "full-text"}, {"objective.target", "10%"}},
                          {{"model.kind", "attention"}, {"model.dependent", "true"}},
                          {{"model.kind", "svm"}, {"model.hidden", "10"}},
                          {{"data.second", "b"}},
                          {{"model.ngrams", "3"}},
                          {{"train.milestones", "3"}},
                          {{"train.decay", "0.7"}},
                          {{"model.threshold", "0.5"}}}) {
    EXPECT_NE(error(given), "") << given.back().first;
  }
  EXPECT_NE(error({{"model.kind", "da"}, {"model.encoder", "rcnn"}}, "sst"), "");
  // Whatever acts is taken, also what a preset says of other models and what says nothing new.
  EXPECT_EQ(error({{"controller.name", "paper"}, {"controller.paper_eta", "0.02"}}), "");
  EXPECT_EQ(error({{"model.kind", "attention"}}, "beer"), "");
  EXPECT_EQ(error({{"model.kind", "svm"}, {"model.hidden", "64"}}), "");
}

TEST(Config, EffectiveSettingsAreTheirOwnToml) {
  for (const auto& [name, text] : preset_table()) {
    for (const char* kind : {"hardkuma", "bernoulli", "attention", "full-text", "svm", "da"}) {
      Config config = preset_config(name);
      set_config(config, "model.kind", kind, "test");
      config = effective(config);
      EXPECT_EQ(to_toml(effective(config)), to_toml(config)) << name << kind;
      // As --config over another preset, all of it at once.
      ConfigLayers layers(preset_config("default"));
      layers.overlay(to_toml(config), "dump.toml");
      EXPECT_EQ(to_toml(layers.finish()), to_toml(config)) << name << kind;
    }
  }
}

}  // namespace
}  // namespace hardkuma
