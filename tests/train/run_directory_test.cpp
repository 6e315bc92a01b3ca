#include "hardkuma/train/run_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hardkuma/common/directory.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/train/manifest.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::TempDirectory;

void write(const fs::path& directory, Manifest manifest) {
  manifest.version = "0.2";
  DirectoryCommit(directory).finish(to_json(manifest));
}

TEST(RunDirectory, RefusesWhatIsThereUnlessForced) {
  const TempDirectory dir;
  const fs::path run = dir.path() / "run";
  EXPECT_NO_THROW(check_claim(run, false));
  fs::create_directories(run);
  EXPECT_NO_THROW(check_claim(run, false));  // empty is fine
  EXPECT_FALSE(is_run(run));
  dir.write("run/manifest.json.tmp", "{");
  dir.write("run/config.toml.next", "[data]");
  EXPECT_NO_THROW(check_claim(run, false));  // so is what a kill left half written
  write(run, {.status = RunStatus::Running});
  EXPECT_TRUE(is_run(run));
  EXPECT_NE(message_of<InputError>([&] { check_claim(run, false); }).find("--resume"),
            std::string::npos);
  EXPECT_NO_THROW(check_claim(run, true));
  clear_run(run);
  EXPECT_FALSE(is_run(run));
}

TEST(RunDirectory, ForceNeverTouchesForeignFiles) {
  const TempDirectory dir;
  dir.write("thesis.txt", "x");
  EXPECT_NE(message_of<InputError>([&] {
              check_claim(dir.path(), true);
            }).find("holds no manifest.json that hardkuma wrote"),
            std::string::npos);
  write(dir.path(), {});
  check_claim(dir.path(), true);
  clear_run(dir.path());
  EXPECT_TRUE(fs::exists(dir.path() / "thesis.txt"));
  EXPECT_FALSE(fs::exists(dir.path() / "manifest.json"));
  EXPECT_THROW(check_claim(dir.path() / "thesis.txt", true), InputError);
}

// Any project may have a manifest.json, a config.toml, a checkpoint/ or a report.html.
TEST(RunDirectory, ForceTakesNobodysDirectoryForARun) {
  for (const char* content :
       {R"({"name": "my web app"})", R"({"status": "finished"})", "{", "[]"}) {
    const TempDirectory dir;
    dir.write("manifest.json", content);
    dir.write("report.html", "thesis");
    EXPECT_THROW(check_claim(dir.path(), true), InputError) << content;
  }
  const TempDirectory dir;
  dir.write("config.toml", "[data]");
  EXPECT_THROW(check_claim(dir.path(), true), InputError);
}

TEST(RunDirectory, ForceRemovesOnlyFilesThatTrainingWrites) {
  const TempDirectory dir;
  const TempDirectory elsewhere;
  elsewhere.write("state.safetensors", "somebody's");
  write(dir.path(), {});
  fs::create_directories(dir.path() / "checkpoint");
  fs::create_directories(dir.path() / "tensorboard");
  for (const char* name :
       {"checkpoint/mine.pt", "tensorboard/events.out.tfevents.1.host.other", "full-text.csv"}) {
    dir.write(name, "x");
  }
  for (const char* name : {"checkpoint/state.safetensors", "checkpoint/state.safetensors.next",
                           "tensorboard/events.out.tfevents.1.hardkuma.1", "model.safetensors",
                           "report.html", "vocab.txt", "config.toml", "metrics.jsonl"}) {
    dir.write(name, "ours");
  }
  fs::create_directory_symlink(elsewhere.path(), dir.path() / "full-text");
  clear_run(dir.path());
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(dir.path())) {
    left.push_back(entry.path().lexically_relative(dir.path()).string());
  }
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"checkpoint", "checkpoint/mine.pt", "full-text",
                                            "full-text.csv", "tensorboard",
                                            "tensorboard/events.out.tfevents.1.host.other"}));

  const TempDirectory linked;
  write(linked.path(), {});
  fs::create_directory_symlink(elsewhere.path(), linked.path() / "checkpoint");
  clear_run(linked.path());
  EXPECT_TRUE(fs::exists(elsewhere.path() / "state.safetensors"));
}

TEST(RunDirectory, KnowsItsFilesByTheirBytes) {
  const TempDirectory dir;
  fs::create_directories(dir.path() / "data");
  const std::string train = dir.write("data/train.csv", "a,b\n");
  const std::string vectors = dir.write("glove.txt", "a 1\n");
  const std::string data = (dir.path() / "data").string();
  const auto check = [&](const std::string& data_path, const std::string& vectors_path) {
    std::map<std::string, std::string> hashed;
    check_files(dir.path() / "run", data_path, vectors_path, hashed);
  };
  EXPECT_NO_THROW(check(data, vectors));  // not begun
  fs::create_directories(dir.path() / "run");
  write(dir.path() / "run", {.data = data,
                             .fingerprints = {{"train.csv", file_fingerprint(train)},
                                              {"glove.txt", file_fingerprint(vectors)}},
                             .status = RunStatus::Finished});
  EXPECT_NO_THROW(check(data, vectors));
  EXPECT_NO_THROW(check(data + "/", vectors));
  EXPECT_THROW(check(data, ""), InputError);
  dir.write("data/train.csv", "a,c\n");
  EXPECT_NE(message_of<InputError>([&] { check(data, vectors); }).find("train.csv has changed"),
            std::string::npos);
}

TEST(RunDirectory, OtherDataIsRefused) {
  const TempDirectory dir;
  EXPECT_NO_THROW(check_fingerprints(dir.path(), {{"a.csv", "1"}}));  // not begun
  write(dir.path(), {.fingerprints = {{"a.csv", "1"}}});
  EXPECT_NO_THROW(check_fingerprints(dir.path(), {{"a.csv", "1"}}));
  EXPECT_NE(message_of<InputError>([&] {
              check_fingerprints(dir.path(), {{"a.csv", "2"}});
            }).find("a.csv has changed"),
            std::string::npos);
  EXPECT_TRUE(trained_on(dir.path(), "1"));
  EXPECT_FALSE(trained_on(dir.path(), "2"));
}

}  // namespace
}  // namespace hardkuma
