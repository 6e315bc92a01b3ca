#include "hardkuma/train/run_directory.h"

#include <gtest/gtest.h>

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

void write(const fs::path& directory, const Manifest& manifest) {
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
            }).find("--force does not remove"),
            std::string::npos);
  write(dir.path(), {});
  check_claim(dir.path(), true);
  clear_run(dir.path());
  EXPECT_TRUE(fs::exists(dir.path() / "thesis.txt"));
  EXPECT_FALSE(fs::exists(dir.path() / "manifest.json"));
  EXPECT_THROW(check_claim(dir.path() / "thesis.txt", true), InputError);
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
