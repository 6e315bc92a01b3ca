#include "hardkuma/model/text_model.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "hardkuma/model/projections.h"

namespace hardkuma {

void TextModel::set_embedding(at::Tensor embedding, bool trained) {
  embedding_ = register_parameter("embedding", std::move(embedding), trained);
}

std::vector<at::Tensor> TextModel::trained_parameters() const {
  std::vector<at::Tensor> out;
  for (const at::Tensor& parameter : parameters()) {
    if (parameter.requires_grad()) out.push_back(parameter);
  }
  return out;
}

Predictions TextModel::predict(const Batch& batch) {
  return predict(batch, Projections::covering(*this, batch.words));
}

at::Tensor class_loss(const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor log_probability = at::log_softmax(logits, 1);
  return -log_probability.gather(1, targets.to(at::kLong).unsqueeze(1)).squeeze(1);
}

}  // namespace hardkuma
