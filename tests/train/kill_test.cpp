// A training is killed at each of its changes to the file system, and resumed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/model/model_directory.h"
#include "hardkuma/nn/threads.h"
#include "hardkuma/report/event_observer.h"
#include "hardkuma/train/demo.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/run_directory.h"
#include "hardkuma/train/training_run.h"
#include "support/temp.h"

namespace {

constexpr int kKilled = 9;

bool armed = false;
int left = 0;     // changes until the process dies
int changes = 0;  // that were made

// Before a change is made.
void change() {
  if (!armed) return;
  if (left > 0 && --left == 0) _exit(kKilled);
  ++changes;
}

}  // namespace

// In place of the C library's, also for the libraries that this program uses.
extern "C" {

int rename(const char* from, const char* to) {
  change();
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int unlink(const char* path) {
  change();
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int unlinkat(int directory, const char* path, int flags) {
  change();
  return static_cast<int>(syscall(SYS_unlinkat, directory, path, flags));
}

int remove(const char* path) {
  change();
  const long file = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (file == 0 || errno != EISDIR) return static_cast<int>(file);
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

int fsync(int file) {
  change();
  return static_cast<int>(syscall(SYS_fsync, file));
}

ssize_t write(int file, const void* bytes, size_t count) {
  if (file > STDERR_FILENO) change();
  return syscall(SYS_write, file, bytes, count);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if ((flags & O_CREAT) != 0) change();
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // extern "C"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;
using test::TempDirectory;

struct Data {
  Data() {
    config.model.hidden = 4;
    config.model.embedding = 4;
    config.train.epochs = 3;
    config.train.workers = 1;
    config.controller.warmup = config.controller.descent = 0.3;
    prepared = std::make_shared<Prepared>(prepare(tasting_dataset({"look", 40, 1}), config));
  }
  Config config;
  std::shared_ptr<Prepared> prepared;
};

// Trains to the end, from where the directory stands; or, with `anew`, instead of what is there.
void train_into(const Data& data, const fs::path& directory, bool anew) {
  RunOptions options;
  options.force = anew;
  options.reports = [](const FinishedRun&) {
    return std::map<std::string, std::string>{{"report.html", "<p>done</p>"}};
  };
  EventObserver events(directory);
  TrainingRun run = is_run(directory) && !anew
                        ? TrainingRun::resume(directory, data.prepared, options)
                        : TrainingRun::create(directory, data.config, data.prepared, options);
  run.train(&events);
}

// In a process of its own, which dies before its n-th change; 0: lives. Returns its exit status, 0
// if it came to its end. The number of changes goes into `count`.
int in_child(const Data& data, const fs::path& directory, int n, const fs::path& count = {},
             bool anew = false) {
  const pid_t pid = fork();
  if (pid == 0) {
    try {
      left = n;
      armed = true;
      train_into(data, directory, anew);
      armed = false;
      if (!count.empty()) write_file(count, std::to_string(changes));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Weights, threshold, settings and metrics are those of one epoch.
void expect_consistent(const Data& data, const fs::path& directory) {
  const std::vector<EpochReport> epochs = read_metrics(directory);
  if (epochs.empty()) return;
  const EpochReport* chosen = nullptr;
  for (const EpochReport& epoch : epochs) chosen = epoch.chosen ? &epoch : chosen;
  ASSERT_NE(chosen, nullptr);
  const SavedModel saved = load_model(directory);
  const auto workers = tensor_workers(1);
  const Evaluation now = summarise(data.prepared->split("dev"),
                                   saved.classifier->predict(data.prepared->split("dev"), *workers),
                                   saved.config.task);
  const std::optional<Manifest> manifest = read_manifest(directory);
  EXPECT_EQ(manifest->epochs_done, static_cast<int64_t>(epochs.size()));
  if (manifest->status == RunStatus::Finished) return;  // calibrated since
  EXPECT_EQ(saved.config.model.threshold, chosen->threshold);
  EXPECT_NEAR(now.task_loss, chosen->dev.task_loss, 1e-6);
  EXPECT_EQ(now.selected_micro, chosen->dev.selected_micro);
}

TEST(Kill, AtAnyWriteLeavesOneEpochThatResumesToTheSameBytes) {
  const Data data;
  const TempDirectory scratch;
  const fs::path whole = scratch.path() / "whole";
  const fs::path count = scratch.path() / "count";
  ASSERT_EQ(in_child(data, whole, 0, count), 0);
  const int all = std::stoi(read_file(count));
  ASSERT_GT(all, 60);
  for (int n = 1; n <= all; ++n) {
    SCOPED_TRACE(testing::Message() << "killed before change " << n << " of " << all);
    const fs::path cut = scratch.path() / "cut";
    fs::remove_all(cut);
    ASSERT_EQ(in_child(data, cut, n), kKilled);
    if (fs::exists(cut / "manifest.json")) expect_consistent(data, cut);
    ASSERT_EQ(in_child(data, cut, 0), 0);
    for (const char* name : {"model.safetensors", "config.toml", "vocab.txt", "metrics.jsonl"}) {
      EXPECT_EQ(read_file(cut / name), read_file(whole / name)) << name;
    }
    EXPECT_TRUE(is_finished(cut));
    EXPECT_NO_THROW(load_model(cut));
    for (const auto& entry : fs::recursive_directory_iterator(cut)) {
      EXPECT_NE(entry.path().extension(), ".next") << entry.path();
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    }
    if (testing::Test::HasFailure()) return;
  }
}

// What is left of the old run may be whole or in pieces; it is never taken for the new one, and
// the same command goes on.
TEST(Kill, WhileARunIsReplacedLeavesNothingInTheWay) {
  const Data data;
  const TempDirectory scratch;
  const fs::path whole = scratch.path() / "whole";
  ASSERT_EQ(in_child(data, whole, 0), 0);
  for (int n = 1; n <= 30; ++n) {
    SCOPED_TRACE(testing::Message() << "killed before change " << n);
    const fs::path cut = scratch.path() / "cut";
    fs::remove_all(cut);
    fs::copy(whole, cut, fs::copy_options::recursive);
    ASSERT_EQ(in_child(data, cut, n, {}, /*anew=*/true), kKilled);
    const std::string message = test::message_of<InputError>([&] { load_model(cut); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    ASSERT_EQ(in_child(data, cut, 0, {}, /*anew=*/true), 0);
    EXPECT_EQ(read_file(cut / "model.safetensors"), read_file(whole / "model.safetensors"));
    EXPECT_NO_THROW(load_model(cut));
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace hardkuma
