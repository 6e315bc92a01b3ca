#include "read_ahead.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "hardkuma/common/workers.h"

namespace hardkuma {

struct ReadAhead::State {
  std::unique_ptr<ExampleReader> reader;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<RawExample> chunk;
  bool full = false;  // chunk is waiting to be taken
  bool done = false;
  bool closed = false;  // the ReadAhead is destroyed
  std::exception_ptr error;

  void read(size_t size) {
    while (true) {
      std::vector<RawExample> next;
      bool more = true;
      std::exception_ptr failure;
      try {
        do {
          RawExample example;
          more = reader->next(example);
          if (more) next.push_back(std::move(example));
        } while (more && next.size() < size && reader->ready());
      } catch (...) {
        failure = std::current_exception();
        more = false;
      }
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return !full || closed; });
      if (closed) return;
      chunk = std::move(next);
      full = !chunk.empty();
      done = !more;
      error = failure;
      changed.notify_all();
      if (done) return;
    }
  }
};

ReadAhead::ReadAhead(std::unique_ptr<ExampleReader> reader, size_t size)
    : state_(std::make_shared<State>()) {
  state_->reader = std::move(reader);
  start_thread([state = state_, size] { state->read(size); }).detach();
}

ReadAhead::~ReadAhead() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  state_->changed.notify_all();
}

bool ReadAhead::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->full;
}

bool ReadAhead::next(std::vector<RawExample>& chunk, const std::atomic<bool>& stop) {
  std::unique_lock lock(state_->mutex);
  while (!state_->full && !state_->done) {
    if (stop.load()) return false;
    state_->changed.wait_for(lock, std::chrono::milliseconds(100));
  }
  if (stop.load()) return false;
  if (!state_->full) {
    if (state_->error) std::rethrow_exception(state_->error);
    return false;
  }
  chunk = std::move(state_->chunk);
  state_->full = false;
  state_->changed.notify_all();
  return true;
}

}  // namespace hardkuma
