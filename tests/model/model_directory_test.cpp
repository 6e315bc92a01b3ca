#include "hardkuma/model/model_directory.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <fstream>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::TempDirectory;

SavedModel tiny() {
  SavedModel saved;
  saved.config.model.hidden = 3;
  saved.config.task.labels = {"no", "yes"};
  for (const char* word : {"a", "b", "c"}) saved.vocabulary.add(word);
  saved.model = make_model(saved.config, at::randn({saved.vocabulary.size(), 4}));
  return saved;
}

void save(const fs::path& directory, const SavedModel& saved) {
  save_settings(directory, saved.config, saved.vocabulary);
  save_weights(directory, *saved.model);
}

TEST(ModelDirectory, ComesBackBitForBit) {
  const TempDirectory dir;
  const SavedModel saved = tiny();
  save(dir.path(), saved);
  const SavedModel back = load_model(dir.path());
  const auto before = named_weights(*saved.model);
  const auto after = named_weights(*back.model);
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, weight] : before) EXPECT_TRUE(at::equal(weight, after.at(name))) << name;
  EXPECT_EQ(back.config.task.labels, saved.config.task.labels);
}

TEST(ModelDirectory, AnotherKindStartsFromTheWeightsItShares) {
  const TempDirectory dir;
  SavedModel full = tiny();
  full.config.model.kind = "full-text";
  full.model = make_model(full.config, at::randn({full.vocabulary.size(), 4}));
  save(dir.path(), full);
  SavedModel gated = tiny();
  const auto drawn = named_weights(*gated.model);
  std::map<std::string, at::Tensor> before;
  for (const auto& [name, weight] : drawn) before[name] = weight.clone();
  start_from(*gated.model, gated.vocabulary, dir.path());
  const auto theirs = named_weights(*full.model);
  size_t shared = 0;
  for (const auto& [name, weight] : named_weights(*gated.model)) {
    const auto found = theirs.find(name);
    shared += found != theirs.end() ? 1 : 0;
    EXPECT_TRUE(at::equal(weight, found != theirs.end() ? found->second : before.at(name))) << name;
  }
  EXPECT_GT(shared, 3u);
  EXPECT_LT(shared, before.size());
}

TEST(ModelDirectory, StartsOnlyFromWhatFits) {
  const TempDirectory dir;
  save(dir.path(), tiny());
  SavedModel other = tiny();
  other.vocabulary.add("d");
  const auto error = [&](SavedModel& model) {
    return message_of<InputError>([&] { start_from(*model.model, model.vocabulary, dir.path()); });
  };
  EXPECT_NE(error(other).find("knows other words"), std::string::npos);
  SavedModel wider = tiny();
  wider.config.model.hidden = 4;
  wider.model = make_model(wider.config, at::randn({wider.vocabulary.size(), 4}));
  EXPECT_NE(error(wider).find("the settings ask for"), std::string::npos);
}

TEST(ModelDirectory, ForeignAndIncompleteDirectoriesAreRefused) {
  const TempDirectory dir;
  const auto error = [&](const fs::path& path) {
    return message_of<InputError>([&] { load_model(path); });
  };
  EXPECT_NE(error("/no/such/dir").find("no such directory"), std::string::npos);
  EXPECT_NE(error(dir.path()).find("not a model directory: it has no config.toml"),
            std::string::npos);
  EXPECT_NE(error(dir.write("file", "x")).find("not a directory"), std::string::npos);
  save(dir.path(), tiny());
  const std::string weights = read_file(dir.path() / "model.safetensors");
  dir.write("model.safetensors", weights.substr(0, weights.size() - 1));
  EXPECT_NE(error(dir.path()).find("truncated"), std::string::npos);
  dir.write("model.safetensors", weights);
  dir.write("vocab.txt", "<unk>\na\n");
  EXPECT_NE(error(dir.path()).find("do not belong together"), std::string::npos);
}

TEST(ModelDirectory, WeightsOfAnotherShapeAreNamed) {
  const TempDirectory dir;
  SavedModel saved = tiny();
  save(dir.path(), saved);
  saved.config.model.hidden = 5;
  save_settings(dir.path(), saved.config, saved.vocabulary);
  const std::string message = message_of<InputError>([&] { load_model(dir.path()); });
  EXPECT_NE(message.find("the settings ask for"), std::string::npos) << message;
}

TEST(ModelDirectory, TheSeedDecidesTheWeights) {
  Config config = tiny().config;
  const at::Tensor embedding = at::zeros({4, 4});
  const auto weights = [&](int64_t seed) {
    config.train.seed = seed;
    return named_weights(*make_model(config, embedding.clone())).at("output.weight");
  };
  EXPECT_TRUE(at::equal(weights(1), weights(1)));
  EXPECT_FALSE(at::equal(weights(1), weights(2)));
}

TEST(ModelDirectory, ALinearModelComesBackAndFitsItsTask) {
  const TempDirectory dir;
  SavedModel saved = tiny();
  saved.config.model.kind = "svm";
  std::vector<Example> set(2);
  set[0].words = {1, 2};
  set[1].words = {2, 1};
  save_settings(dir.path(), saved.config, saved.vocabulary);
  NgramSvm svm = NgramSvm::with_features_of(set, 1, 1, /*outputs=*/2);
  svm.weights[1].fill_(0.5);
  svm.save(dir.path() / "model.safetensors");
  const SavedModel back = load_model(dir.path());
  ASSERT_TRUE(back.svm.has_value());
  EXPECT_EQ(back.svm->outputs(set[0]), svm.outputs(set[0]));
  NgramSvm::with_features_of(set, 1, 1, /*outputs=*/3).save(dir.path() / "model.safetensors");
  EXPECT_NE(message_of<InputError>([&] { load_model(dir.path()); }).find("not made for this task"),
            std::string::npos);
}

}  // namespace
}  // namespace hardkuma
