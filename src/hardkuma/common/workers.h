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
  /// `on_start` runs once in each thread except the caller's. Throws InputError if the system
  /// cannot start a thread.
  explicit Workers(int64_t count, std::function<void()> on_start = {});
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int64_t count() const;
  void run(const std::function<void(int64_t)>& work);

  /// Divides n items: worker w gets [cut(n, w), cut(n, w + 1)).
  int64_t cut(int64_t n, int64_t worker) const { return n * worker / count(); }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Starts a thread; throws InputError if the system cannot.
std::thread start_thread(std::function<void()> work);

/// The same with a future, which waits for the work and rethrows its exception.
std::future<void> in_background(std::function<void()> work);

/// The most threads allowed; more would not help.
constexpr int64_t kMostWorkers = 256;

/// Number of cores this process may use.
int64_t available_cores();

}  // namespace hardkuma
