#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "hardkuma/common/workers.h"

namespace hardkuma {

class RationaleModelImpl;

/// The encoders' input projections of words, computed once for each word however often it occurs:
/// at prediction more than half of all arithmetic. Good as long as the model's weights stand still.
class Projections {
 public:
  enum class Of { Both, Selector };

  /// `bytes`: about how much memory to use.
  explicit Projections(const RationaleModelImpl& model, Of of = Of::Both,
                       int64_t bytes = int64_t{1} << 28);

  /// Computes what is missing of these words, split over the workers if given. Forgets the others
  /// when they do not all fit. Not to be called while others read.
  void cover(const std::vector<int32_t>& words, Workers* workers = nullptr);

  /// For each word its row, null where it was not covered.
  const std::vector<const float*>& selector() const { return selector_; }
  const std::vector<const float*>& classifier() const { return classifier_; }

  /// How many words fit.
  int64_t capacity() const { return capacity_; }

 private:
  const RationaleModelImpl& model_;
  bool has_selector_;
  bool has_classifier_;
  int64_t capacity_;
  std::vector<at::Tensor> blocks_;
  std::vector<bool> covered_;
  int64_t count_ = 0;
  std::vector<const float*> selector_;
  std::vector<const float*> classifier_;
};

}  // namespace hardkuma
