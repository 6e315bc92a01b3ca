#pragma once

#include <memory>
#include <utility>

#include "hardkuma/model/classifier.h"
#include "hardkuma/model/predictor.h"

namespace hardkuma {

/// A Classifier over a TextModel.
class NetworkClassifier final : public Classifier {
 public:
  explicit NetworkClassifier(std::shared_ptr<TextModel> model) : model_(std::move(model)) {
    predictor_ = std::make_unique<Predictor>(*model_);
  }

  std::vector<ExamplePrediction> predict(const std::vector<Example>& set,
                                         Workers& workers) override {
    return predictor_->predict(set, workers);
  }
  std::map<std::string, at::Tensor> weights() const override { return named_weights(*model_); }
  void set_choice(const Choice& choice) override { model_->set_choice(choice); }
  void to(at::Device device) override {
    model_->to(device);
    predictor_ = std::make_unique<Predictor>(*model_);
  }

 private:
  std::shared_ptr<TextModel> model_;
  std::unique_ptr<Predictor> predictor_;
};

}  // namespace hardkuma
