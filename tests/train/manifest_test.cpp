#include "hardkuma/train/manifest.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hardkuma/common/directory.h"
#include "hardkuma/common/error.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

using test::message_of;
using test::TempDirectory;

Manifest full() {
  Manifest out;
  out.version = "0.2";
  out.command = "hardkuma train a.csv";
  out.data = "a.csv";
  out.seed = 7;
  out.fingerprints = {{"a.csv", "fnv1a64:1:2"}};
  out.status = RunStatus::Finished;
  out.epochs_done = 12;
  out.warnings = {"no epoch selected within 1 point"};
  RunResults results;
  results.epoch = 9;
  results.target = 0.15;
  results.threshold = 0.4;
  results.before_calibration = {{"selected_micro", 0.1}, {"selected_macro", 0.2}};
  results.splits["dev"].examples = 30;
  results.splits["test"].examples = 40;
  out.results = results;
  return out;
}

TEST(Manifest, ComesBackWhole) {
  const TempDirectory dir;
  EXPECT_FALSE(read_manifest(dir.path()).has_value());
  const Manifest manifest = full();
  DirectoryCommit(dir.path()).finish(to_json(manifest));
  const Manifest back = read_manifest(dir.path()).value();
  EXPECT_EQ(to_json(back), to_json(manifest));
  EXPECT_EQ(back.warnings, manifest.warnings);
  EXPECT_EQ(back.results->judged_by(), "test");
  EXPECT_TRUE(is_finished(dir.path()));
}

TEST(Manifest, OfARunThatHasNotFinishedHasNoResults) {
  const TempDirectory dir;
  Manifest manifest;
  manifest.status = RunStatus::Stopped;
  DirectoryCommit(dir.path()).finish(to_json(manifest));
  const Manifest back = read_manifest(dir.path()).value();
  EXPECT_EQ(back.status, RunStatus::Stopped);
  EXPECT_FALSE(back.results.has_value());
  EXPECT_FALSE(is_finished(dir.path()));
}

// As versions before 0.2 wrote it: no checksums, no warnings.
TEST(Manifest, OlderOnesAreRead) {
  const TempDirectory dir;
  dir.write("manifest.json",
            R"({"hardkuma": "0.1.0", "command": "c", "data": "d", "seed": 3, "files": {"x": "1"},
                "status": "finished", "results": {"epoch": 4, "dev": {"examples": 5, "words": 9,
                "loss": 0.5, "accuracy": 0.75, "selected_micro": 1, "selected_macro": 1}}})");
  const Manifest back = read_manifest(dir.path()).value();
  EXPECT_EQ(back.results->splits.at("dev").metric, 0.75);
  EXPECT_EQ(back.fingerprints.at("x"), "1");
  EXPECT_TRUE(is_finished(dir.path()));
}

TEST(Manifest, NonsenseIsRefusedInALine) {
  const TempDirectory dir;
  const std::string path = dir.write("manifest.json", R"({"status": "running", "seed": "three"})");
  EXPECT_EQ(message_of<InputError>([&] { read_manifest(dir.path()); }),
            path + ": not a manifest of this version");
  dir.write("manifest.json", "{");
  EXPECT_NE(message_of<InputError>([&] { read_manifest(dir.path()); }).find(path + ": is damaged"),
            std::string::npos);
}

TEST(Manifest, NamesOfFilesNeedNotBeUtf8) {
  const TempDirectory dir;
  Manifest manifest = full();
  manifest.data = "/data/caf\xe9.csv";
  manifest.fingerprints = {{"caf\xe9.csv", "1"}, {"日本.csv", "2"}};
  DirectoryCommit(dir.path()).finish(to_json(manifest));
  const Manifest back = read_manifest(dir.path()).value();
  EXPECT_EQ(back.data, manifest.data);
  EXPECT_EQ(back.fingerprints, manifest.fingerprints);
}

TEST(Manifest, DeepNestingIsRefused) {
  const TempDirectory dir;
  dir.write("manifest.json", "{\"status\":\"finished\",\"warnings\":" + std::string(80000, '[') +
                                 std::string(80000, ']') + "}");
  EXPECT_NE(message_of<InputError>([&] { read_manifest(dir.path()); }).find("is damaged"),
            std::string::npos);
}

}  // namespace
}  // namespace hardkuma
