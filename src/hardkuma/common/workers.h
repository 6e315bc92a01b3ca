#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <thread>

namespace hardkuma {

/// A fixed team of threads for work that is split by worker number. Worker 0 is the caller.
///
///   Workers team(2);
///   team.run([&](int64_t worker) { … });   // returns when all are done, rethrows the first error
class Workers {
 public:
  /// `on_start` runs once in each thread but the caller's. Threads that the system does not give
  /// are an InputError.
  explicit Workers(int64_t count, std::function<void()> on_start = {});
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int64_t count() const;
  void run(const std::function<void(int64_t)>& work);

  /// Where a list of n items is cut for a worker: its items are [cut(w), cut(w + 1)).
  int64_t cut(int64_t n, int64_t worker) const { return n * worker / count(); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A thread, or an InputError where the system gives no more.
std::thread start_thread(std::function<void()> work);

/// The same with a future, which waits for the work's end and gives what it throws.
std::future<void> in_background(std::function<void()> work);

/// More threads than this help nobody.
constexpr int64_t kMostWorkers = 256;

/// One per core this process may use.
int64_t available_cores();

}  // namespace hardkuma
