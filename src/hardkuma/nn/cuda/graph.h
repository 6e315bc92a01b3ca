#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace hardkuma::on_gpu {

/// While it lives, this thread's work goes to a stream of its own, which can be recorded.
class OwnStream {
 public:
  OwnStream();
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Work recorded once and done again with one call, at the same addresses: what it reads must be
/// put there before. Recordings of one thread share the memory for what is in between: of one
/// nothing is left after another, but for what was still held when that one was recorded.
class Recording {
 public:
  Recording();
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void record(const std::function<void()>& work);
  void replay();
  int64_t kernels() const;  ///< launched by a replay

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A place in the queue of work that can be waited for.
class GpuEvent {
 public:
  GpuEvent();
  ~GpuEvent();
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;

  void set();
  void wait();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hardkuma::on_gpu
