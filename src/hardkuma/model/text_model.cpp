#include "hardkuma/model/text_model.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>

#include "hardkuma/common/error.h"
#include "hardkuma/model/projections.h"

namespace hardkuma {

const at::Tensor& TrainingTerms::operator[](Term term) const {
  switch (term) {
    case Term::Task:
      return task;
    case Term::Selector:
      return selector;
    case Term::Rate:
      return rate;
    case Term::Transitions:
      return transitions;
    case Term::Bounds:
      return bounds;
  }
  throw InternalError("[loss] no term {}", static_cast<int>(term));
}

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

std::map<std::string, at::Tensor> named_weights(const TextModel& model) {
  std::map<std::string, at::Tensor> out;
  for (const auto& item : model.named_parameters()) out[item.key()] = item.value().to(at::kCPU);
  return out;
}

void load_weights(TextModel& model, const std::map<std::string, at::Tensor>& weights,
                  const std::string& path) {
  const at::NoGradGuard no_grad;
  for (auto& item : model.named_parameters()) {
    const auto found = weights.find(item.key());
    if (found == weights.end()) throw InputError("{}: no tensor \"{}\"", path, item.key());
    copy_weight(item.value(), found->second, item.key(), path);
  }
}

void copy_weight(at::Tensor& here, const at::Tensor& theirs, const std::string& name,
                 const std::string& path) {
  if (theirs.sizes() != here.sizes()) {
    throw InputError("{}: tensor \"{}\" is [{}], the settings ask for [{}]", path, name,
                     fmt::join(theirs.sizes(), ", "), fmt::join(here.sizes(), ", "));
  }
  if (!at::isfinite(theirs).all().item<bool>()) {
    throw InputError("{}: tensor \"{}\" holds numbers that are not finite; the file is damaged",
                     path, name);
  }
  here.copy_(theirs);
}

at::Tensor class_loss(const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor log_probability = at::log_softmax(logits, 1);
  return -log_probability.gather(1, targets.to(at::kLong).unsqueeze(1)).squeeze(1);
}

}  // namespace hardkuma
