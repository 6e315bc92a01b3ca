#pragma once

#include <cstdint>
#include <string>

#include "hardkuma/common/random.h"
#include "hardkuma/nn/gate_kinds.h"

/// GPU kernels, called with plain pointers to GPU memory: the sources that implement them need only
/// CUDA. Every function queues its work on `stream` (a cudaStream_t) and returns; T is float or
/// double. Sums are computed in a fixed order: the same input gives the same bits.
namespace hardkuma::cuda {

/// Why no GPU can be used, or ""; and the GPU's name.
std::string unusable_reason();
std::string name();

/// Number of kernels recorded on this stream so far.
int64_t recorded_kernels(void* stream);

/// Where the words of B sequences lie: word t of sequence i in row offsets[t] + i.
struct Sequences {
  int64_t count;
  const int32_t* offsets;  ///< [longest]
  const int32_t* lengths;  ///< [B]
  const int32_t* starts;   ///< [B] number of words in earlier sequences
};

/// The rows a recurrence reads; those of sequence i begin at rows[starts[i]].
struct ReadRows {
  const int32_t* rows;    ///< [N]; null: all
  const int32_t* counts;  ///< [B]
};

/// Lists the rows with z ≠ 0, as in ReadRows.
template <typename T>
void select_nonzero(const Sequences& at, const T* z, int32_t* rows, int32_t* counts, void* stream);

/// Both directions of a recurrence over B sequences. A block of threads takes one direction of a
/// few sequences; it keeps as much of the recurrent weights as fits in shared memory for all steps.
/// G, R, C and K as in cells.h.
template <typename T>
struct RecurrenceForward {
  Sequences at;
  ReadRows read;
  int64_t h;
  const T* projected;  ///< [N, 2, G·H] x·w_ihᵀ
  const T* scale;      ///< [N] multiplies these; null: 1
  const T* fade;       ///< [N] as in RecurrentInput; null: 1
  const T* bias;       ///< [2, R·H]
  const T* out_bias;   ///< [2, H]; RCNN only
  const T* recurrent;  ///< [2, H, R·H] w_hh transposed
  T* kept;             ///< [N, 2, K·H]
  T* carried;          ///< [N, 2, C·H]
  T* hidden;           ///< [N, 2·H]
  T* cell_carried;     ///< with `fade` as `carried`, before it is faded
  T* cell_hidden;      ///< likewise
  T* final;            ///< [B, 2·H] final states; not written for sequences without rows to read
};

template <typename T>
struct RecurrenceBackward {
  Sequences at;
  ReadRows read;
  int64_t h;
  int64_t rows;           ///< N
  const T* w_hh;          ///< [2, R·H, H]
  const T* kept;          ///< as the forward pass left it
  const T* carried;       ///< likewise
  const T* hidden;        ///< likewise
  const T* fade;          ///< null: 1
  const T* cell_carried;  ///< without `fade` the same as `carried`
  const T* cell_hidden;   ///< likewise
  const T* grad_hidden;   ///< [N, 2·H]; null: none
  const T* grad_final;    ///< [B, 2·H]; null: none
  T* grad_gates;          ///< [N, 2, G·H]; rows that are not read are not written
  T* grad_fade;           ///< [N, 2·H] to be summed over each row; likewise
  T* previous;            ///< [2, N, H] the hidden state before each row; likewise
  T* grad_bias;           ///< [blocks, 2, (R + 1)·H] to be summed: for R gates, then for out_bias
};

enum class Cell { Lstm, Rcnn };

/// Number of blocks in grad_bias.
template <typename T>
int64_t recurrence_blocks(Cell cell, int64_t sequences, int64_t h);

template <typename T>
void recurrence_forward(Cell cell, const RecurrenceForward<T>& p, void* stream);
template <typename T>
void recurrence_backward(Cell cell, const RecurrenceBackward<T>& p, void* stream);

/// gate_kinds.h on the GPU: draw_gate_rows() if u is given, else decide_gate_rows().
template <typename T>
void gates(GateKind kind, const ShapeBounds& bounds, Decision decision, const GateRows<T>& rows,
           void* stream);

/// chain_gates of gate.h, one warp per sequence. A row of `gates` holds the K raw values, then the
/// cell's gates.
template <typename T>
struct ChainForward {
  Sequences at;
  int64_t n;  ///< rows
  int64_t s;  ///< units
  GateKind kind;
  ShapeBounds bounds;
  Decision decision;
  const T* w_chain;   ///< [S, K + R·S] transposed
  const T* w_z;       ///< [G·S]
  const T* out_bias;  ///< [S]; RCNN only
  const T* u;         ///< [N]; null: decide
  T* gates;           ///< [N, K + G·S] in: from the states, with biases; out: raw, activations
  T* carried;         ///< [N, C·S]
  T* hidden;          ///< [N, S]
  T* z;
  T* p_zero;
  T* p_nonzero;
  T* slopes;  ///< [K, 2, N] derivatives of z and p_nonzero by each raw value; null: decide
};

template <typename T>
struct ChainBackward {
  Sequences at;
  int64_t n;
  int64_t s;
  int64_t k;
  const T* w_chain;  ///< [K + R·S, S]
  const T* w_z;
  const T* gates;
  const T* carried;
  const T* hidden;
  const T* slopes;
  const T* grad_raw;  ///< [N, K]
  const T* grad_z;    ///< [N]
  const T* grad_p;    ///< [N] gradient of p_nonzero minus that of p_zero
  T* grad_gates;      ///< [N, K + G·S]
  T* previous;        ///< [N, S]
  T* grad_out_bias;   ///< [B, S] to be summed
};

template <typename T>
void chain_forward(Cell cell, const ChainForward<T>& p, void* stream);
template <typename T>
void chain_backward(Cell cell, const ChainBackward<T>& p, void* stream);

/// Keys as in dropout.h and packed.h, [N] or [B]; `example_ids` is [B].
void row_keys(const Sequences& at, const int64_t* example_ids, StepKey step, int64_t* out,
              void* stream);
void text_keys(int64_t count, const int64_t* example_ids, StepKey step, int64_t* out, void* stream);
template <typename T>
void row_uniforms(const Sequences& at, const int64_t* example_ids, StepKey step, T* out,
                  void* stream);

/// Dropout of rows as in dropout.h; a null `keys` drops nothing.
struct Drop {
  double p;
  const int64_t* keys;
  bool placed;  ///< row i's key is keys[i].with(place)
  uint64_t place;
};

/// out [rows, width] = dropout of from[words[i]], or of from[i] if `words` is null.
template <typename T>
void drop(const Drop& drop, int64_t rows, int64_t width, const T* from, int64_t ld,
          const int64_t* words, T* out, void* stream);

/// out [rows, width] = dropout of max(0, x + bias).
template <typename T>
void rectify(const Drop& drop, int64_t rows, int64_t width, const T* x, int64_t ld, const T* bias,
             T* out, void* stream);
template <typename T>
void rectify_back(double p, int64_t rows, int64_t width, const T* out, const T* grad, int64_t ld,
                  T* to_x, void* stream);

/// out [width] = the sums of x's columns.
template <typename T>
void column_sums(int64_t rows, int64_t width, const T* x, int64_t ld, T* out, void* stream);

/// out [rows] = Σ_j a[i, j] · b[i, j].
template <typename T>
void row_dots(int64_t rows, int64_t width, const T* a, const T* b, T* out, void* stream);

/// Means over each sequence [B]: of values; and of P(one of two neighbours is 0, the other is not),
/// whose sum is divided by the number of words.
template <typename T>
void sequence_means(const Sequences& at, const T* values, T* out, void* stream);
template <typename T>
void sequence_means_back(const Sequences& at, const T* grad, T* to_values, void* stream);
template <typename T>
void transitions(const Sequences& at, const T* p_zero, const T* p_nonzero, T* out, void* stream);
template <typename T>
void transitions_back(const Sequences& at, const T* p_zero, const T* p_nonzero, const T* grad,
                      T* to_zero, T* to_nonzero, void* stream);

/// gate_bounds_penalty of gate.h for n gates with k raw values: [n], and the gradient [n, k].
template <typename T>
void bounds_penalty(int64_t n, int64_t k, const double* low_high, const T* raw, T* out,
                    void* stream);
template <typename T>
void bounds_penalty_back(int64_t n, int64_t k, const double* low_high, const T* raw, const T* grad,
                         T* to_raw, void* stream);

/// B pairs of texts, five integers each: the first text's first row and number of rows, the same
/// for the second text, and the first cell.
struct PairTable {
  int64_t count;
  const int32_t* layout;  ///< [B, 5]
};

void pair_row_keys(const PairTable& at, const int64_t* example_ids, StepKey step, int64_t* out,
                   void* stream);
template <typename T>
void cell_uniforms(const PairTable& at, const int64_t* example_ids, StepKey step, T* out,
                   void* stream);

/// The functions of pair_attention.h. ld: elements between the rows of x.
template <typename T>
void pair_scores(const PairTable& at, int64_t heads, int64_t h, int64_t cells, const T* x, T* out,
                 void* stream);
template <typename T>
void pair_scores_back(const PairTable& at, int64_t heads, int64_t h, int64_t cells, const T* x,
                      const T* grad, T* out, void* stream);
template <typename T>
struct PairSoftmax {
  const T* scores;
  const T* z;     ///< null: 1
  T* weights[2];  ///< by row, by column
  T* slopes[2];   ///< the weights are z times these
};
template <typename T>
void pair_softmax(const PairTable& at, const PairSoftmax<T>& p, void* stream);
template <typename T>
struct PairSoftmaxBack {
  const T* z;
  const T* slopes[2];
  const T* grads[2];
  T* to_scores;
  T* to_z;
};
template <typename T>
void pair_softmax_back(const PairTable& at, const PairSoftmaxBack<T>& p, void* stream);
template <typename T>
void pair_mix(const PairTable& at, int64_t h, const T* by_row, const T* by_column, const T* x,
              int64_t ld, const T* base, int64_t ld_base, T* out, void* stream);
template <typename T>
void pair_mix_back(const PairTable& at, int64_t h, const T* by_row, const T* by_column, const T* x,
                   int64_t ld, const T* grad, T* to_rows, T* to_columns, T* to_x, void* stream);
template <typename T>
void pair_sums(const PairTable& at, int64_t h, const T* x, T* out, void* stream);
template <typename T>
void pair_sums_back(const PairTable& at, int64_t h, const T* grad, T* out, void* stream);
template <typename T>
void pair_means(const PairTable& at, const T* values, T* out, void* stream);
template <typename T>
void pair_means_back(const PairTable& at, const T* grad, T* out, void* stream);

/// One parameter of Adam; if `gradient` is null, it is not updated.
struct AdamTensor {
  float* parameter;
  float* m;
  float* v;
  const float* gradient;
  int64_t count;
};

/// One step of Adam. Gradients are scaled down if their norm is above `clip`; if the norm is not
/// finite, nothing is updated. `rates`, on the GPU, has two values per tensor: the learning rate
/// over the first moment's bias correction, and the square root of the second's. `partial` holds
/// adam_blocks() sums; largest[0] is set to the norm if that is larger or not finite.
int64_t adam_blocks();
void adam(const AdamTensor* tensors, int64_t count, const float* rates, float decay, float clip,
          double* partial, float* largest, void* stream);

}  // namespace hardkuma::cuda
