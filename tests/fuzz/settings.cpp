// config.toml and --config files: what was read is written and read again.
#include "fuzz/fuzz.h"
#include "hardkuma/model/config.h"
#include "hardkuma/model/config_layers.h"

using namespace hardkuma;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::as_text(data, size));
  return fuzz::read_or_refuse([&] {
    Config config;
    overlay_toml(config, text, "f.toml");
    validate(config);
    const std::string once = to_toml(config);
    Config again;
    overlay_toml(again, once, "again.toml");
    fuzz::check(to_toml(again) == once, "settings go round");
    ConfigLayers layers{Config()};
    layers.overlay(text, "f.toml");
    layers.finish();
  });
}
