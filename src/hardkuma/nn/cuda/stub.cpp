// In place of the .cu files in a build without CUDA: none of these is ever reached.

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

struct Mark::Impl {};
Mark::Mark() {
  unavailable();
}
Mark::~Mark() = default;
void Mark::set() {}
void Mark::wait() {}

}  // namespace on_gpu

namespace cuda {

std::string trouble() {
  return "this program was built without CUDA";
}

std::string name() {
  return "";
}

int64_t recorded_kernels(void*) {
  unavailable();
}

template <typename T>
void keep_nonzero(const Sequences&, const T*, int32_t*, int32_t*, void*) {
  unavailable();
}

template <typename T>
int64_t recurrence_blocks(Cell, int64_t, int64_t) {
  unavailable();
}

template <typename T>
void recurrence_forward(Cell, const RecurrenceForward<T>&, void*) {
  unavailable();
}

template <typename T>
void recurrence_backward(Cell, const RecurrenceBackward<T>&, void*) {
  unavailable();
}

template <typename T>
void gates(GateKind, const ShapeBounds&, Decision, const GateRows<T>&, void*) {
  unavailable();
}

template <typename T>
void chain_forward(Cell, const ChainForward<T>&, void*) {
  unavailable();
}

template <typename T>
void chain_backward(Cell, const ChainBackward<T>&, void*) {
  unavailable();
}

void row_keys(const Sequences&, const int64_t*, StepKey, int64_t*, void*) {
  unavailable();
}

void text_keys(int64_t, const int64_t*, StepKey, int64_t*, void*) {
  unavailable();
}

template <typename T>
void row_uniforms(const Sequences&, const int64_t*, StepKey, T*, void*) {
  unavailable();
}

template <typename T>
void drop(const Drop&, int64_t, int64_t, const T*, int64_t, const int64_t*, T*, void*) {
  unavailable();
}

template <typename T>
void rectify(const Drop&, int64_t, int64_t, const T*, int64_t, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void rectify_back(double, int64_t, int64_t, const T*, const T*, int64_t, T*, void*) {
  unavailable();
}

template <typename T>
void column_sums(int64_t, int64_t, const T*, int64_t, T*, void*) {
  unavailable();
}

template <typename T>
void row_dots(int64_t, int64_t, const T*, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void sequence_means(const Sequences&, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void sequence_means_back(const Sequences&, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void transitions(const Sequences&, const T*, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void transitions_back(const Sequences&, const T*, const T*, const T*, T*, T*, void*) {
  unavailable();
}

template <typename T>
void rails(int64_t, int64_t, const double*, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void rails_back(int64_t, int64_t, const double*, const T*, const T*, T*, void*) {
  unavailable();
}

void pair_row_keys(const PairTable&, const int64_t*, StepKey, int64_t*, void*) {
  unavailable();
}

template <typename T>
void cell_uniforms(const PairTable&, const int64_t*, StepKey, T*, void*) {
  unavailable();
}

template <typename T>
void pair_scores(const PairTable&, int64_t, int64_t, int64_t, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void pair_scores_back(const PairTable&, int64_t, int64_t, int64_t, const T*, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void pair_softmax(const PairTable&, const PairSoftmax<T>&, void*) {
  unavailable();
}

template <typename T>
void pair_softmax_back(const PairTable&, const PairSoftmaxBack<T>&, void*) {
  unavailable();
}

template <typename T>
void pair_mix(const PairTable&, int64_t, const T*, const T*, const T*, int64_t, const T*, int64_t,
              T*, void*) {
  unavailable();
}

template <typename T>
void pair_mix_back(const PairTable&, int64_t, const T*, const T*, const T*, int64_t, const T*, T*,
                   T*, T*, void*) {
  unavailable();
}

template <typename T>
void pair_sums(const PairTable&, int64_t, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void pair_sums_back(const PairTable&, int64_t, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void pair_means(const PairTable&, const T*, T*, void*) {
  unavailable();
}

template <typename T>
void pair_means_back(const PairTable&, const T*, T*, void*) {
  unavailable();
}

int64_t adam_blocks() {
  unavailable();
}

void adam(const AdamTensor*, int64_t, const float*, float, float, double*, float*, void*) {
  unavailable();
}

#define INSTANTIATE(T)                                                                             \
  template int64_t recurrence_blocks<T>(Cell, int64_t, int64_t);                                   \
  template void keep_nonzero<T>(const Sequences&, const T*, int32_t*, int32_t*, void*);            \
  template void recurrence_forward<T>(Cell, const RecurrenceForward<T>&, void*);                   \
  template void recurrence_backward<T>(Cell, const RecurrenceBackward<T>&, void*);                 \
  template void gates<T>(GateKind, const ShapeBounds&, Decision, const GateRows<T>&, void*);       \
  template void chain_forward<T>(Cell, const ChainForward<T>&, void*);                             \
  template void chain_backward<T>(Cell, const ChainBackward<T>&, void*);                           \
  template void row_uniforms<T>(const Sequences&, const int64_t*, StepKey, T*, void*);             \
  template void drop<T>(const Drop&, int64_t, int64_t, const T*, int64_t, const int64_t*, T*,      \
                        void*);                                                                    \
  template void rectify<T>(const Drop&, int64_t, int64_t, const T*, int64_t, const T*, T*, void*); \
  template void rectify_back<T>(double, int64_t, int64_t, const T*, const T*, int64_t, T*, void*); \
  template void column_sums<T>(int64_t, int64_t, const T*, int64_t, T*, void*);                    \
  template void row_dots<T>(int64_t, int64_t, const T*, const T*, T*, void*);                      \
  template void sequence_means<T>(const Sequences&, const T*, T*, void*);                          \
  template void sequence_means_back<T>(const Sequences&, const T*, T*, void*);                     \
  template void transitions<T>(const Sequences&, const T*, const T*, T*, void*);                   \
  template void transitions_back<T>(const Sequences&, const T*, const T*, const T*, T*, T*,        \
                                    void*);                                                        \
  template void rails<T>(int64_t, int64_t, const double*, const T*, T*, void*);                    \
  template void rails_back<T>(int64_t, int64_t, const double*, const T*, const T*, T*, void*);     \
  template void cell_uniforms<T>(const PairTable&, const int64_t*, StepKey, T*, void*);            \
  template void pair_scores<T>(const PairTable&, int64_t, int64_t, int64_t, const T*, T*, void*);  \
  template void pair_scores_back<T>(const PairTable&, int64_t, int64_t, int64_t, const T*,         \
                                    const T*, T*, void*);                                          \
  template void pair_softmax<T>(const PairTable&, const PairSoftmax<T>&, void*);                   \
  template void pair_softmax_back<T>(const PairTable&, const PairSoftmaxBack<T>&, void*);          \
  template void pair_mix<T>(const PairTable&, int64_t, const T*, const T*, const T*, int64_t,      \
                            const T*, int64_t, T*, void*);                                         \
  template void pair_mix_back<T>(const PairTable&, int64_t, const T*, const T*, const T*, int64_t, \
                                 const T*, T*, T*, T*, void*);                                     \
  template void pair_sums<T>(const PairTable&, int64_t, const T*, T*, void*);                      \
  template void pair_sums_back<T>(const PairTable&, int64_t, const T*, T*, void*);                 \
  template void pair_means<T>(const PairTable&, const T*, T*, void*);                              \
  template void pair_means_back<T>(const PairTable&, const T*, T*, void*);
INSTANTIATE(float)
INSTANTIATE(double)

}  // namespace cuda
}  // namespace hardkuma
