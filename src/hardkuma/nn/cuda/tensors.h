#pragma once

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <vector>

#include "hardkuma/common/error.h"
#include "hardkuma/nn/cuda/kernels.h"
#include "hardkuma/nn/packed.h"

/// Helpers for calling the kernels with tensors.
namespace hardkuma::on_gpu {

/// The layout as three tensors, which an autograd node can save.
using Layout = std::vector<at::Tensor>;

inline Layout layout_of(const Packed& packed) {
  if (!packed.device) throw InternalError("[on_gpu] the batch's layout is not on the GPU");
  return {packed.device->offsets, packed.device->lengths, packed.device->starts};
}

inline cuda::Sequences sequences(const at::Tensor* layout) {
  return {layout[1].size(0), layout[0].data_ptr<int32_t>(), layout[1].data_ptr<int32_t>(),
          layout[2].data_ptr<int32_t>()};
}

inline cuda::Sequences sequences(const Packed& packed) {
  const Layout layout = layout_of(packed);
  return sequences(layout.data());
}

inline at::TensorOptions like(const at::Tensor& x) {
  return x.options().requires_grad(false);
}

/// An output buffer; zeroed if there is padding (`room`), which kernels do not write.
inline at::Tensor buffer(bool room, at::IntArrayRef shape, const at::Tensor& x) {
  return room ? at::zeros(shape, like(x)) : at::empty(shape, like(x));
}

/// The table of a pairs' layout tensor, which an autograd node can save.
inline cuda::PairTable table_of(const at::Tensor& layout) {
  return {layout.size(0), layout.data_ptr<int32_t>()};
}

template <typename T>
T* pointer(const at::Tensor& x) {
  return x.defined() ? x.data_ptr<T>() : nullptr;
}

}  // namespace hardkuma::on_gpu
