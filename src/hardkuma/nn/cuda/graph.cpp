#include "hardkuma/nn/cuda/graph.h"

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "hardkuma/nn/cuda/kernels.h"

namespace hardkuma::on_gpu {

struct OwnStream::Impl {
  c10::cuda::CUDAStreamGuard guard{c10::cuda::getStreamFromPool()};
};

OwnStream::OwnStream() {
  c10::cuda::device_synchronize();  // wait for work queued elsewhere
  impl_ = std::make_unique<Impl>();
}

OwnStream::~OwnStream() {
  try {
    c10::cuda::getCurrentCUDAStream().synchronize();
  } catch (...) {  // reading the results reports the error
  }
}

namespace {

// The memory pool of this thread's recordings, used until the last of them is destroyed.
struct Shared {
  c10::MempoolId_t pool;
  int64_t recordings = 0;
};
thread_local Shared shared;

}  // namespace

struct Recording::Impl {
  at::cuda::CUDAGraph graph;
  bool recorded = false;
  int64_t kernels = 0;
};

Recording::Recording() : impl_(std::make_unique<Impl>()) {}

Recording::~Recording() {
  if (impl_->recorded) --shared.recordings;
}

void Recording::record(const std::function<void()>& work) {
  if (shared.recordings == 0) shared.pool = at::cuda::graph_pool_handle();
  ++shared.recordings;
  impl_->recorded = true;
  c10::cuda::getCurrentCUDAStream().synchronize();
  impl_->graph.capture_begin(shared.pool, cudaStreamCaptureModeThreadLocal);
  try {
    work();
    impl_->kernels = cuda::recorded_kernels(c10::cuda::getCurrentCUDAStream().stream());
  } catch (...) {
    try {
      impl_->graph.capture_end();
    } catch (...) {  // the first error is more useful
    }
    throw;
  }
  impl_->graph.capture_end();
}

void Recording::replay() {
  impl_->graph.replay();
}

int64_t Recording::kernels() const {
  return impl_->kernels;
}

struct GpuEvent::Impl {
  at::cuda::CUDAEvent event;
};

GpuEvent::GpuEvent() : impl_(std::make_unique<Impl>()) {}
GpuEvent::~GpuEvent() = default;

void GpuEvent::set() {
  impl_->event.record();
}

void GpuEvent::wait() {
  impl_->event.synchronize();
}

}  // namespace hardkuma::on_gpu
