// What the settings table says of settings that have no effect, held against training itself.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "hardkuma/model/config_layers.h"
#include "hardkuma/model/make_model.h"
#include "hardkuma/train/demo.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/trainer.h"

namespace hardkuma {
namespace {

// Another value, in range.
void disturb(const Setting& setting) {
  if (auto* const* flag = std::get_if<bool*>(&setting.value)) **flag = !**flag;
  if (auto* const* whole = std::get_if<int64_t*>(&setting.value)) **whole += 1;
  if (auto* const* number = std::get_if<double*>(&setting.value)) **number = 0.5 * **number + 0.07;
  if (auto* const* text = std::get_if<std::string*>(&setting.value)) **text = "2";
  if (const auto* choice = std::get_if<NamedChoice>(&setting.value)) {
    choice->set((choice->get() + 1) % choice->names.size());
  }
}

class Idle : public testing::TestWithParam<std::tuple<ModelKind, ControllerKind>> {
 protected:
  static Weights trained(const Config& config, const Prepared& data) {
    const auto model = make_model(config, data.embedding.clone());
    train_network({config, data.split("train"), data.split("dev"), model});
    Weights out;
    for (const auto& [name, weight] : named_weights(*model)) out[name] = weight.detach().clone();
    return out;
  }

  static bool same(const Weights& a, const Weights& b) {
    if (a.size() != b.size()) return false;
    for (const auto& [name, weight] : a) {
      if (!b.contains(name) || !at::equal(weight, b.at(name))) return false;
    }
    return true;
  }
};

// All of them at once; each by itself only where that changed something, to name it.
TEST_P(Idle, SettingsWithoutEffectChangeNoBit) {
  Config config;
  config.model.kind = std::get<0>(GetParam());
  config.controller.name = std::get<1>(GetParam());
  config.model.hidden = 8;
  config.model.embedding = 8;
  config.train.epochs = 4;
  config.train.workers = 1;
  config = effective(config);
  const Prepared data = prepare(tasting_dataset({"look", 60, 1}), config);
  const Weights before = trained(config, data);
  Config all = config;
  const std::vector<Setting> table = settings(all);
  std::vector<size_t> idle;
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].acts(config) || table[i].name.starts_with("data.")) continue;
    idle.push_back(i);
  }
  EXPECT_GT(idle.size(), 5u);
  for (const size_t i : idle) disturb(table[i]);
  if (same(trained(all, data), before)) return;
  for (const size_t i : idle) {
    Config one = config;
    disturb(settings(one)[i]);
    EXPECT_TRUE(same(trained(one, data), before)) << table[i].name << " has an effect";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Idle,
    testing::Combine(
        testing::Values(ModelKind::HardKuma, ModelKind::Bernoulli, ModelKind::HardConcrete,
                        ModelKind::Attention, ModelKind::FullText),
        testing::Values(ControllerKind::Default, ControllerKind::Paper, ControllerKind::Fixed)));

}  // namespace
}  // namespace hardkuma
