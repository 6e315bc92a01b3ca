#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace hardkuma::on_gpu {

/// While it exists, this thread's work is queued on a stream of its own, which can be recorded.
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

/// Work recorded once and replayed with one call, at the same addresses: write its inputs there
/// before. Recordings of one thread share memory for intermediate results: a replay overwrites
/// those of other recordings, except tensors still held when it was recorded.
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

/// A point in the queue of work that can be waited for.
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
