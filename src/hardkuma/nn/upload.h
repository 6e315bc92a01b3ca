#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace hardkuma {

/// Arrays to send to a GPU in one asynchronous copy.
///
///   Upload upload;
///   const size_t words = upload.add(list.data(), bytes);
///   at::Tensor there = upload.send(device);
///   at::Tensor on_gpu = upload.slice(there, words, at::kLong);
class Upload {
 public:
  /// The bytes are read when sent. `room`: at least this many bytes are reserved, the rest 0.
  size_t add(const void* from, int64_t bytes, int64_t room = 0);

  at::Tensor send(at::Device target) const;     ///< to new memory
  void send_to(const at::Tensor& there) const;  ///< to where the same slices were sent before

  /// A slice of what was sent, including its `room`.
  at::Tensor slice(const at::Tensor& there, size_t number, at::ScalarType type) const;

 private:
  struct Slice {
    const void* from;
    int64_t bytes;
    int64_t place;
    int64_t room;
  };
  at::Tensor packed() const;

  std::vector<Slice> slices_;
  int64_t total_ = 0;
};

}  // namespace hardkuma
