#include "hardkuma/nn/upload.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstring>

namespace hardkuma {

size_t Upload::add(const void* from, int64_t bytes, int64_t room) {
  constexpr int64_t kAlignment = 16;
  const int64_t kept = std::max(bytes, room);
  slices_.push_back({from, bytes, total_, kept});
  total_ += (kept + kAlignment - 1) / kAlignment * kAlignment;
  return slices_.size() - 1;
}

at::Tensor Upload::packed() const {
  const at::Tensor here = at::empty({total_}, at::TensorOptions(at::kByte).pinned_memory(true));
  auto* to = here.data_ptr<uint8_t>();
  for (const Slice& slice : slices_) {
    if (slice.bytes > 0)
      std::memcpy(to + slice.place, slice.from, static_cast<size_t>(slice.bytes));
    std::memset(to + slice.place + slice.bytes, 0, static_cast<size_t>(slice.room - slice.bytes));
  }
  return here;
}

at::Tensor Upload::send(at::Device target) const {
  return packed().to(target, /*non_blocking=*/true);
}

void Upload::send_to(const at::Tensor& there) const {
  there.copy_(packed(), /*non_blocking=*/true);
}

at::Tensor Upload::slice(const at::Tensor& there, size_t number, at::ScalarType type) const {
  const Slice& slice = slices_[number];
  return there.slice(0, slice.place, slice.place + slice.room).view(type);
}

}  // namespace hardkuma
