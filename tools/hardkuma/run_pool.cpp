#include "run_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "commands.h"
#include "hardkuma/common/clock.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"
#include "hardkuma/common/workers.h"
#include "hardkuma/model/config_layers.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/train/manifest.h"
#include "hardkuma/train/prepare.h"
#include "hardkuma/train/run_directory.h"
#include "hardkuma/train/training_run.h"
#include "message.h"
#include "status_line.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPoll{100};
constexpr double kPoolRedraw = 0.5;  // seconds
constexpr int64_t kJobsOnGpu = 8;

fs::path beside(const fs::path& directory, const char* extension) {
  return directory.string() + extension;
}

// Epochs done; 0 without a manifest.
int64_t epochs_done(const fs::path& directory) {
  return read_manifest(directory).value_or(Manifest{}).epochs_done;
}

// The epochs of a run; if they are left to the data, those of its own settings once it has begun,
// and until then a guess.
int64_t epochs_of(const WantedRun& run) {
  constexpr int64_t kUsual = 25;
  if (run.config.train.epochs > 0) return run.config.train.epochs;
  return is_run(run.directory) ? std::max<int64_t>(1, stored_config(run.directory).train.epochs)
                               : kUsual;
}

std::string last_line(const fs::path& log) {
  std::ifstream file(log);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!trim(line).empty()) last = line;
  }
  const std::string program = "hardkuma: ";
  return last.starts_with(program) ? last.substr(program.size()) : last;
}

// A run gets its settings in a file, which is kept. A planned run keeps its number of workers, so
// that a stopped sweep gives the same result.
Config settings_of(const WantedRun& run, int64_t workers) {
  const fs::path path = beside(run.directory, ".toml");
  Config config = run.config;
  config.train.workers = workers;
  if (!fs::exists(path)) return config;
  Config before;
  overlay_toml(before, read_file(path), path.string());
  config.train.workers = before.train.workers;
  const std::string other = first_difference(before, config);
  if (other.empty()) return config;
  if (is_run(run.directory)) {
    throw InputError("{}: was begun with other settings ({}); name another --out",
                     run.directory.string(), other);
  }
  config.train.workers = workers;
  return config;
}

// The child has a process group of its own, so that Ctrl-C reaches only the parent, which signals
// each child once. A child saves and exits if its parent ends.
pid_t start(const WantedRun& run, const std::string& device) {
  const std::string settings = beside(run.directory, ".toml").string();
  const std::string log = beside(run.directory, ".log").string();
  std::vector<std::string> words = {"hardkuma",
                                    "train",
                                    as_argument(run.data),
                                    "--config",
                                    as_argument(settings),
                                    "--out",
                                    as_argument(run.directory.string()),
                                    "--resume",
                                    "--device",
                                    device};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw InputError("cannot start a process: {}", std::strerror(errno));
  if (pid > 0) return pid;
  setpgid(0, 0);
  signal(SIGHUP, SIG_DFL);          // ignored under nohup, which would undo the next line
  prctl(PR_SET_PDEATHSIG, SIGHUP);  // repeated, it does not force an exit
  if (getppid() != parent) _exit(1);
  const int nothing = open("/dev/null", O_RDONLY);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (nothing < 0 || out < 0) _exit(1);
  dup2(nothing, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execv("/proc/self/exe", argv.data());  // works even if its file was replaced
  _exit(127);
}

[[noreturn]] void stopped() {
  message("stopped; the same command goes on\n");
  throw Interrupted();
}

// Held by this process and, as long as they live, by the runs it starts.
class PoolLock {
 public:
  PoolLock(const fs::path& directory, const std::atomic<bool>* stop) {
    fs::create_directories(directory);
    const fs::path path = directory / "lock";
    file_ = open(path.c_str(), O_RDWR | O_CREAT, 0666);
    if (file_ < 0) throw InputError("{}: {}", path.string(), std::strerror(errno));
    for (bool said = false; flock(file_, LOCK_EX | LOCK_NB) != 0; said = true) {
      if (!said) {
        message("{}: runs are going on here already; waiting for them to end\n",
                directory.string());
      }
      if (stop != nullptr && *stop) stopped();
      std::this_thread::sleep_for(kPoll);
    }
  }
  ~PoolLock() { close(file_); }
  PoolLock(const PoolLock&) = delete;
  PoolLock& operator=(const PoolLock&) = delete;

 private:
  int file_;
};

class Pool {
 public:
  Pool(std::vector<const WantedRun*> waiting, size_t all, const PoolOptions& options)
      : waiting_(std::move(waiting)),
        all_(all),
        finished_(all - waiting_.size()),
        options_(options) {
    for (const WantedRun* run : waiting_) {
      epochs_left_ += epochs_of(*run) - epochs_done(run->directory);
    }
  }

  Failures run(size_t jobs) {
    while (!waiting_.empty() || !running_.empty()) {
      if (options_.stop != nullptr && *options_.stop) stop();
      while (running_.size() < jobs && start_next()) {
      }
      reap();
      draw();
      std::this_thread::sleep_for(kPoll);
    }
    return failures_;
  }

 private:
  struct Running {
    const WantedRun* run;
    int64_t epochs_before;
  };

  // Starts the first run that waits for no other; a run that waits for a failed one fails too.
  bool start_next() {
    for (auto next = waiting_.begin(); next != waiting_.end(); ++next) {
      const WantedRun& run = **next;
      if (is_pending(run.after)) continue;
      if (failed_.contains(run.after)) {
        fail(run, run.after.string() + " failed, from which it was to start");
      } else {
        running_[start(run, options_.device)] = {&run, epochs_done(run.directory)};
      }
      waiting_.erase(next);
      return true;
    }
    return false;
  }

  bool is_pending(const fs::path& directory) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&](const WantedRun* run) { return run->directory == directory; }) ||
           std::any_of(running_.begin(), running_.end(),
                       [&](const auto& entry) { return entry.second.run->directory == directory; });
  }

  void reap() {
    int status = 0;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto found = running_.find(pid);
      if (found == running_.end()) continue;
      const WantedRun& run = *found->second.run;
      epochs_over_ += epochs_of(run) - found->second.epochs_before;
      running_.erase(found);
      if (is_finished(run.directory)) {
        ++finished_;
        line_.clear();
        message("{}/{}  {}: {}{}\n", finished_, all_, run.name, options_.summary(run),
                warned(run.directory) ? "; warned, see its log" : "");
      } else {
        fail(run, reason(run, status));
      }
    }
  }

  static std::string reason(const WantedRun& run, int status) {
    const std::string log = beside(run.directory, ".log").string();
    if (WIFSIGNALED(status)) {
      return fmt::format("killed by signal {}{}; see {}", WTERMSIG(status),
                         WTERMSIG(status) == SIGKILL ? " (out of memory?)" : "", log);
    }
    const std::string said = last_line(log);
    return said.empty() ? fmt::format("ended with status {}", WEXITSTATUS(status)) : said;
  }

  void fail(const WantedRun& run, const std::string& why) {
    line_.clear();
    message("{} failed: {}\n", run.name, why);
    failures_.emplace_back(run.name, why);
    failed_.insert(run.directory);
  }

  [[noreturn]] void stop() {
    line_.clear();
    message("stopping; {} run{} to save\n", running_.size(), running_.size() == 1 ? "" : "s");
    for (const auto& [pid, run] : running_) kill(pid, SIGTERM);
    for (const auto& [pid, run] : running_) waitpid(pid, nullptr, 0);
    stopped();
  }

  void draw() {
    if (!line_.shown() || seconds_since(drawn_) < kPoolRedraw) return;
    drawn_ = Clock::now();
    int64_t here = epochs_over_;
    double done = static_cast<double>(finished_);
    std::string names;
    for (const auto& [pid, running] : running_) {
      const int64_t epochs = epochs_done(running.run->directory);
      const int64_t all = epochs_of(*running.run);
      here += std::max<int64_t>(0, epochs - running.epochs_before);
      done += static_cast<double>(epochs) / static_cast<double>(all);
      names += fmt::format("  {} {}/{}", running.run->name, epochs, all);
    }
    const double seconds = seconds_since(started_);
    const std::string left =
        here == 0 ? "…"
                  : short_duration(seconds * static_cast<double>(epochs_left_ - here) /
                                   static_cast<double>(here));
    const double share = done / static_cast<double>(all_);
    line_.draw(fmt::format("{} {}/{} runs  ETA {} {}", bar(share), finished_, all_, left, names));
  }

  std::vector<const WantedRun*> waiting_;
  std::map<pid_t, Running> running_;
  Failures failures_;
  std::set<fs::path> failed_;
  size_t all_;
  size_t finished_;
  int64_t epochs_left_ = 0;
  int64_t epochs_over_ = 0;
  const PoolOptions& options_;
  Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_;
  StatusLine line_;
};

}  // namespace

void throw_if_failed(const Failures& failures, size_t runs) {
  if (failures.empty()) return;
  throw InputError("{} of {} runs failed ({}: {}); the same command tries them again",
                   failures.size(), runs, failures[0].first, failures[0].second);
}

void check_data(const std::string& data, Config config) {
  prepare(data, config);
}

bool warned(const fs::path& directory) {
  return !read_manifest(directory).value_or(Manifest{}).warnings.empty();
}

Failures train_all(const std::vector<WantedRun>& runs, const PoolOptions& options) {
  if (runs.empty()) return {};
  std::set<fs::path> directories;
  std::map<std::string, std::string> hashed;
  for (const WantedRun& run : runs) {
    if (!directories.insert(run.directory).second) {
      throw InternalError("[train_all] {} twice", run.directory.string());
    }
    check_files(run.directory, run.data, run.config.data.vectors, hashed);
  }
  const PoolLock lock(runs[0].directory.parent_path(), options.stop);
  std::vector<const WantedRun*> waiting;
  for (const WantedRun& run : runs) {
    if (!is_finished(run.directory)) waiting.push_back(&run);
  }
  const int64_t cores = available_cores();
  const bool on_gpu = choose_device(options.device).is_cuda();
  int64_t jobs = options.jobs > 0 ? options.jobs : on_gpu ? std::min(kJobsOnGpu, cores) : cores;
  jobs = std::max<int64_t>(1, std::min(jobs, static_cast<int64_t>(waiting.size())));
  std::vector<Config> configs;
  for (const WantedRun& run : runs) {
    configs.push_back(settings_of(run, std::max<int64_t>(1, cores / jobs)));
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    const fs::path path = beside(runs[i].directory, ".toml");
    const std::string text = to_toml(configs[i]);
    if (!fs::exists(path) || read_file(path) != text) write_file(path, text);
  }
  if (waiting.size() < runs.size()) {
    message("{} of {} runs are there already\n", runs.size() - waiting.size(), runs.size());
  }
  return Pool(std::move(waiting), runs.size(), options).run(static_cast<size_t>(jobs));
}

}  // namespace hardkuma
