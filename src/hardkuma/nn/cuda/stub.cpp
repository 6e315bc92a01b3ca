// Replaces the .cu files in a build without CUDA. No kernel is ever called.

#include "hardkuma/common/error.h"
#include "hardkuma/nn/cuda/graph.h"
#include "hardkuma/nn/cuda/on_gpu.h"

namespace hardkuma {
namespace {

[[noreturn]] void unavailable() {
  throw InternalError("[cuda] a tensor on a GPU in a build without CUDA");
}

}  // namespace

namespace on_gpu {

bool built() {
  return false;
}

void* stream() {
  return nullptr;
}

struct OwnStream::Impl {};
OwnStream::OwnStream() {
  unavailable();
}
OwnStream::~OwnStream() = default;

struct Recording::Impl {};
Recording::Recording() {
  unavailable();
}
Recording::~Recording() = default;
void Recording::record(const std::function<void()>&) {}
void Recording::replay() {}
int64_t Recording::kernels() const {
  return 0;
}

struct GpuEvent::Impl {};
GpuEvent::GpuEvent() {
  unavailable();
}
GpuEvent::~GpuEvent() = default;
void GpuEvent::set() {}
void GpuEvent::wait() {}

}  // namespace on_gpu

namespace cuda {

std::string unusable_reason() {
  return "this program was built without CUDA";
}

std::string name() {
  return "";
}

int64_t recorded_kernels(void*) {
  unavailable();
}

// Defines a kernel with its signature in kernels.h, for both types.
#define STUB(result, name, ...)                                \
  template <typename T>                                        \
  result name(__VA_ARGS__) {                                   \
    unavailable();                                             \
  }                                                            \
  [[gnu::used]] static const auto name##_float = &name<float>; \
  [[gnu::used]] static const auto name##_double = &name<double>;

// clang-format off
STUB(void, select_nonzero, const Sequences&, const T*, int32_t*, int32_t*, void*)
STUB(int64_t, recurrence_blocks, Cell, int64_t, int64_t)
STUB(void, recurrence_forward, Cell, const RecurrenceForward<T>&, void*)
STUB(void, recurrence_backward, Cell, const RecurrenceBackward<T>&, void*)
STUB(void, gates, GateKind, const ShapeBounds&, Decision, const GateRows<T>&, void*)
STUB(void, chain_forward, Cell, const ChainForward<T>&, void*)
STUB(void, chain_backward, Cell, const ChainBackward<T>&, void*)
STUB(void, row_uniforms, const Sequences&, const int64_t*, StepKey, T*, void*)
STUB(void, drop, const Drop&, int64_t, int64_t, const T*, int64_t, const int64_t*, T*, void*)
STUB(void, rectify, const Drop&, int64_t, int64_t, const T*, int64_t, const T*, T*, void*)
STUB(void, rectify_back, double, int64_t, int64_t, const T*, const T*, int64_t, T*, void*)
STUB(void, column_sums, int64_t, int64_t, const T*, int64_t, T*, void*)
STUB(void, row_dots, int64_t, int64_t, const T*, const T*, T*, void*)
STUB(void, sequence_means, const Sequences&, const T*, T*, void*)
STUB(void, sequence_means_back, const Sequences&, const T*, T*, void*)
STUB(void, transitions, const Sequences&, const T*, const T*, T*, void*)
STUB(void, transitions_back, const Sequences&, const T*, const T*, const T*, T*, T*, void*)
STUB(void, bounds_penalty, int64_t, int64_t, const double*, const T*, T*, void*)
STUB(void, bounds_penalty_back, int64_t, int64_t, const double*, const T*, const T*, T*, void*)
STUB(void, cell_uniforms, const PairTable&, const int64_t*, StepKey, T*, void*)
STUB(void, pair_scores, const PairTable&, int64_t, int64_t, int64_t, const T*, T*, void*)
STUB(void, pair_scores_back, const PairTable&, int64_t, int64_t, int64_t, const T*, const T*, T*, void*)
STUB(void, pair_softmax, const PairTable&, const PairSoftmax<T>&, void*)
STUB(void, pair_softmax_back, const PairTable&, const PairSoftmaxBack<T>&, void*)
STUB(void, pair_mix, const PairTable&, int64_t, const T*, const T*, const T*, int64_t, const T*, int64_t, T*, void*)
STUB(void, pair_mix_back, const PairTable&, int64_t, const T*, const T*, const T*, int64_t, const T*, T*, T*, T*, void*)
STUB(void, pair_sums, const PairTable&, int64_t, const T*, T*, void*)
STUB(void, pair_sums_back, const PairTable&, int64_t, const T*, T*, void*)
STUB(void, pair_means, const PairTable&, const T*, T*, void*)
STUB(void, pair_means_back, const PairTable&, const T*, T*, void*)
void row_keys(const Sequences&, const int64_t*, StepKey, int64_t*, void*) { unavailable(); }
void text_keys(int64_t, const int64_t*, StepKey, int64_t*, void*) { unavailable(); }
void pair_row_keys(const PairTable&, const int64_t*, StepKey, int64_t*, void*) { unavailable(); }
int64_t adam_blocks() { unavailable(); }
void adam(const AdamTensor*, int64_t, const float*, float, float, double*, float*, void*) { unavailable(); }
// clang-format on

}  // namespace cuda
}  // namespace hardkuma
