#include "hardkuma/common/workers.h"

#include <sched.h>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <vector>

#include "hardkuma/common/error.h"

namespace hardkuma {

struct Workers::Impl {
  std::mutex mutex;
  std::condition_variable begin;
  std::condition_variable done;
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> errors;
  const std::function<void(int64_t)>* work = nullptr;
  uint64_t round = 0;
  size_t busy = 0;
  bool closing = false;

  void close() {
    {
      const std::lock_guard lock(mutex);
      closing = true;
    }
    begin.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void attempt(size_t worker) {
    try {
      (*work)(static_cast<int64_t>(worker));
    } catch (...) {
      errors[worker] = std::current_exception();
    }
  }

  void loop(size_t worker) {
    uint64_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      begin.wait(lock, [&] { return closing || round != seen; });
      if (closing) return;
      seen = round;
      lock.unlock();
      attempt(worker);
      lock.lock();
      if (--busy == 0) done.notify_one();
    }
  }
};

Workers::Workers(int64_t count, std::function<void()> on_start) : impl_(std::make_unique<Impl>()) {
  const auto n = static_cast<size_t>(count < 1 ? 1 : count);
  impl_->errors.resize(n);
  impl_->threads.reserve(n);
  try {
    for (size_t i = 1; i < n; ++i) {
      impl_->threads.push_back(start_thread([impl = impl_.get(), i, on_start] {
        if (on_start) on_start();
        impl->loop(i);
      }));
    }
  } catch (...) {
    impl_->close();
    throw;
  }
}

Workers::~Workers() {
  impl_->close();
}

int64_t Workers::count() const {
  return static_cast<int64_t>(impl_->errors.size());
}

void Workers::run(const std::function<void(int64_t)>& work) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->work = &work;
    impl_->busy = impl_->threads.size();
    ++impl_->round;
  }
  impl_->begin.notify_all();
  impl_->attempt(0);
  std::unique_lock lock(impl_->mutex);
  impl_->done.wait(lock, [&] { return impl_->busy == 0; });
  std::exception_ptr first;
  for (std::exception_ptr& error : impl_->errors) {
    if (!first) first = error;
    error = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

namespace {

// Turns the system's refusal to start a thread into an InputError.
template <typename Start>
auto started(const Start& start) {
  try {
    return start();
  } catch (const std::system_error& error) {
    throw InputError(
        "cannot start a thread: {}; use fewer --workers, or raise the limit (ulimit -u)",
        error.code().message());
  }
}

}  // namespace

std::thread start_thread(std::function<void()> work) {
  return started([&] { return std::thread(std::move(work)); });
}

std::future<void> in_background(std::function<void()> work) {
  return started([&] { return std::async(std::launch::async, std::move(work)); });
}

int64_t available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace hardkuma
