#include "hardkuma/train/run_directory.h"

#include <gtest/gtest.h>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "support/temp.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::TempDirectory;

TEST(RunDirectory, RefusesWhatIsThereUnlessForced) {
  const TempDirectory dir;
  const fs::path run = dir.path() / "run";
  claim_directory(run, false);
  claim_directory(run, false);  // empty is fine
  EXPECT_FALSE(is_run(run));
  dir.write("run/manifest.json.tmp", "{");
  claim_directory(run, false);  // so is what a kill left half written
  write_manifest(run, {"cmd", "data", 1, {}, "running", ""});
  EXPECT_TRUE(is_run(run));
  EXPECT_NE(message_of<InputError>([&] { claim_directory(run, false); }).find("--resume"),
            std::string::npos);
  claim_directory(run, true);
  EXPECT_FALSE(is_run(run));
}

TEST(RunDirectory, ForceNeverTouchesForeignFiles) {
  const TempDirectory dir;
  dir.write("thesis.txt", "x");
  EXPECT_NE(message_of<InputError>([&] {
              claim_directory(dir.path(), true);
            }).find("--force does not remove"),
            std::string::npos);
  dir.write("manifest.json", "{}");
  claim_directory(dir.path(), true);
  EXPECT_TRUE(fs::exists(dir.path() / "thesis.txt"));
  EXPECT_FALSE(fs::exists(dir.path() / "manifest.json"));
  EXPECT_THROW(claim_directory(dir.path() / "thesis.txt", true), InputError);
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
  write_manifest(dir.path() / "run", {"cmd",
                                      data,
                                      1,
                                      {{"train.csv", file_fingerprint(train)},
                                       {"glove.txt", file_fingerprint(vectors)}},
                                      "finished",
                                      "{}"});
  EXPECT_NO_THROW(check(data, vectors));
  EXPECT_NO_THROW(check(data + "/", vectors));
  EXPECT_THROW(check(data, ""), InputError);
  dir.write("data/train.csv", "a,c\n");
  EXPECT_NE(message_of<InputError>([&] { check(data, vectors); }).find("train.csv has changed"),
            std::string::npos);
}

TEST(RunDirectory, ManifestTellsStatusAndData) {
  const TempDirectory dir;
  EXPECT_EQ(run_status(dir.path()), "");
  write_manifest(dir.path(), {"cmd", "data", 1, {{"a.csv", "1"}}, "stopped", "{\"x\":1}"});
  EXPECT_EQ(run_status(dir.path()), "stopped");
  EXPECT_NO_THROW(check_fingerprints(dir.path(), {{"a.csv", "1"}}));
  EXPECT_NE(message_of<InputError>([&] {
              check_fingerprints(dir.path(), {{"a.csv", "2"}});
            }).find("a.csv has changed"),
            std::string::npos);
}

}  // namespace
}  // namespace hardkuma
