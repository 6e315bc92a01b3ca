#include "hardkuma/model/model_directory.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/model/make_model.h"
#include "hardkuma/model/ngram_svm.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::TempDirectory;

struct Tiny {
  Config config;
  Vocabulary vocabulary;
  std::shared_ptr<TextModel> model;
};

Tiny tiny() {
  Tiny out;
  out.config.model.hidden = 3;
  out.config.task.labels = {"no", "yes"};
  for (const char* word : {"a", "b", "c"}) out.vocabulary.add(word);
  out.model = make_model(out.config, at::randn({out.vocabulary.size(), 4}));
  return out;
}

void save(const fs::path& directory, const Config& config, const Vocabulary& vocabulary,
          const std::map<std::string, at::Tensor>& weights) {
  DirectoryCommit commit(directory);
  add_settings(commit, config);
  add_vocabulary(commit, vocabulary);
  add_weights(commit, weights);
  commit.finish({{"status", "finished"}});
}

void save(const fs::path& directory, const Tiny& tiny) {
  save(directory, tiny.config, tiny.vocabulary, named_weights(*tiny.model));
}

// As versions before 0.2 wrote it, without checksums.
void forget_checksums(const fs::path& directory) {
  write_file(directory / "manifest.json", "{\"status\": \"finished\"}\n");
}

TEST(ModelDirectory, ComesBackBitForBit) {
  const TempDirectory dir;
  const Tiny saved = tiny();
  save(dir.path(), saved);
  const SavedModel back = load_model(dir.path());
  const auto before = named_weights(*saved.model);
  const auto after = back.classifier->weights();
  ASSERT_EQ(before.size(), after.size());
  for (const auto& [name, weight] : before) EXPECT_TRUE(at::equal(weight, after.at(name))) << name;
  EXPECT_EQ(back.config.task.labels, saved.config.task.labels);
}

TEST(ModelDirectory, AnotherKindStartsFromTheWeightsItShares) {
  const TempDirectory dir;
  Tiny full = tiny();
  full.config.model.kind = ModelKind::FullText;
  full.model = make_model(full.config, at::randn({full.vocabulary.size(), 4}));
  save(dir.path(), full);
  Tiny gated = tiny();
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
  Tiny other = tiny();
  other.vocabulary.add("d");
  const auto error = [&](Tiny& model) {
    return message_of<InputError>([&] { start_from(*model.model, model.vocabulary, dir.path()); });
  };
  EXPECT_NE(error(other).find("knows other words"), std::string::npos);
  Tiny wider = tiny();
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
  EXPECT_NE(error(dir.path()).find("not a model directory: it has no manifest.json"),
            std::string::npos);
  EXPECT_NE(error(dir.write("file", "x")).find("not a directory"), std::string::npos);
  save(dir.path(), tiny());
  forget_checksums(dir.path());
  const std::string weights = read_file(dir.path() / "model.safetensors");
  dir.write("model.safetensors", weights.substr(0, weights.size() - 1));
  EXPECT_NE(error(dir.path()).find("truncated"), std::string::npos);
  dir.write("model.safetensors", weights);
  dir.write("vocab.txt", "<unk>\na\n");
  EXPECT_NE(error(dir.path()).find("do not belong together"), std::string::npos);
}

TEST(ModelDirectory, WithoutItsManifestNothingIsTrusted) {
  const TempDirectory dir;
  save(dir.path(), tiny());
  fs::remove(dir.path() / "manifest.json");
  EXPECT_NE(
      message_of<InputError>([&] { load_model(dir.path()); }).find("manifest.json is missing"),
      std::string::npos);
}

TEST(ModelDirectory, WeightsOfAnotherShapeAreNamed) {
  const TempDirectory dir;
  Tiny saved = tiny();
  save(dir.path(), saved);
  saved.config.model.hidden = 5;
  save(dir.path(), saved);
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
  Tiny saved = tiny();
  saved.config.model.kind = ModelKind::Svm;
  std::vector<Example> set(2);
  set[0].words = {1, 2};
  set[1].words = {2, 1};
  NgramSvm svm = NgramSvm::with_features_of(set, 1, 1, saved.config.task);
  svm.matrix[1].fill_(0.5);
  save(dir.path(), saved.config, saved.vocabulary, svm.weights());
  const SavedModel back = load_model(dir.path());
  const auto* again = dynamic_cast<const NgramSvm*>(back.classifier.get());
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->outputs(set[0]), svm.outputs(set[0]));
  const TaskInfo three{false, {"a", "b", "c"}};
  save(dir.path(), saved.config, saved.vocabulary,
       NgramSvm::with_features_of(set, 1, 1, three).weights());
  EXPECT_NE(message_of<InputError>([&] { load_model(dir.path()); }).find("not made for this task"),
            std::string::npos);
}

TEST(ModelDirectory, NumbersThatAreNotFiniteAreRefusedByName) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const TempDirectory dir;
    const Tiny saved = tiny();
    auto weights = named_weights(*saved.model);
    weights.at("output.weight") = weights.at("output.weight").clone();
    weights.at("output.weight")[0][1] = bad;
    save(dir.path(), saved.config, saved.vocabulary, weights);
    EXPECT_NE(message_of<InputError>([&] {
                load_model(dir.path());
              }).find("\"output.weight\" holds numbers that are not finite"),
              std::string::npos);
  }
}

// The weights are finite, but what is computed from them is not.
TEST(ModelDirectory, ScoresThatAreNotFiniteAreAnError) {
  const TempDirectory dir;
  const Tiny saved = tiny();
  auto weights = named_weights(*saved.model);
  for (auto& [name, weight] : weights) weight = at::full_like(weight, 3e38);
  save(dir.path(), saved.config, saved.vocabulary, weights);
  const SavedModel loaded = load_model(dir.path());
  std::vector<Example> set(1);
  set[0].words = {1, 2, 3};
  EXPECT_NE(message_of<InputError>([&] {
              Workers alone(1);
              loaded.classifier->predict(set, alone);
            }).find("scores are not finite"),
            std::string::npos);
}

// A network of the settings' size would take gigabytes before its shapes were compared.
TEST(ModelDirectory, SettingsThatAreTooLargeForTheWeightsAreRefusedFirst) {
  const TempDirectory dir;
  Tiny saved = tiny();
  auto weights = named_weights(*saved.model);
  // Those of a large vocabulary say nothing of the layers.
  weights["embedding"] = at::zeros({saved.vocabulary.size(), 1 << 22});
  for (const int64_t hidden : {100, 8192}) {
    saved.config.model.hidden = hidden;
    save(dir.path(), saved.config, saved.vocabulary, weights);
    EXPECT_NE(
        message_of<InputError>([&] { load_model(dir.path()); }).find("too few for model.hidden"),
        std::string::npos)
        << hidden;
  }
}

// Also the manifest's own bytes, and files that a prediction does not read.
TEST(ModelDirectory, AFlippedByteInAnyFileIsRefusedByName) {
  const TempDirectory dir;
  const Tiny saved = tiny();
  DirectoryCommit commit(dir.path());
  add_settings(commit, saved.config);
  add_vocabulary(commit, saved.vocabulary);
  add_weights(commit, named_weights(*saved.model));
  commit.add("metrics.jsonl", "{\"epoch\":1}\n");
  commit.add("checkpoint/state.safetensors", std::string(100, 'x'));
  commit.finish({{"status", "finished"}, {"command", "train"}});
  EXPECT_NO_THROW(load_model(dir.path()));
  for (const char* name : {"config.toml", "vocab.txt", "model.safetensors", "metrics.jsonl",
                           "checkpoint/state.safetensors", "manifest.json"}) {
    const std::string path = (dir.path() / name).string();
    const std::string bytes = read_file(path);
    for (size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 97) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x20);
      write_file(path, flipped);
      const std::string message = message_of<InputError>([&] { load_model(dir.path()); });
      EXPECT_EQ(message.find(path + ": "), 0u) << name << " byte " << i << ": " << message;
      EXPECT_EQ(message.find('\n'), std::string::npos);
    }
    write_file(path, bytes);
  }
  EXPECT_NO_THROW(load_model(dir.path()));
}

}  // namespace
}  // namespace hardkuma
