#include "hardkuma/report/explainer.h"

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/data/make_example.h"
#include "hardkuma/model/data_options.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/nn/threads.h"

namespace hardkuma {

namespace {

// Keeps the tensor operations of a single text in the calling thread.
Workers& alone() {
  static thread_local const std::unique_ptr<Workers> worker = tensor_workers(1);
  return *worker;
}

RawExample single(const std::string& text) {
  check_text(text, "text", 1);
  RawExample one;
  one.line = 1;
  one.id = "0";
  one.text = text;
  return one;
}

}  // namespace

Explainer::Explainer(const std::filesystem::path& model_directory, int64_t workers,
                     const std::string& device)
    : Explainer(load_model(model_directory), workers) {
  model_.classifier->to(choose_device(device));
}

Explainer::Explainer(SavedModel model, int64_t workers)
    : model_(std::move(model)),
      workers_(tensor_workers(workers == 0 ? available_cores() : workers)) {}

void Explainer::set_choice(const Choice& choice) {
  if (!selects_words(model_.config)) {
    throw InputError("a model of kind {} reads everything: it selects nothing to be changed",
                     name_of(model_.config.model.kind));
  }
  if (choice.decision == Decision::Argmax && !has_gates(model_.config)) {
    throw InputError("attention takes words whole; leave --fractional out");
  }
  if (choice.spans > 0 && reads_pairs(model_.config)) {
    throw InputError("cells between the words of a pair have no runs; leave --spans out");
  }
  model_.classifier->set_choice(choice);
}

void Explainer::set_min_confidence(double least) {
  if (model_.config.task.regression) {
    throw InputError("the model predicts numbers, which have no confidence to abstain by");
  }
  min_confidence_ = least;
}

Explanation Explainer::explain(const std::string& text) {
  std::vector<RawExample> one;
  one.push_back(single(text));
  return explain_with(alone(), std::move(one), "text").front();
}

Explanation Explainer::explain(const std::string& first, const std::string& second) {
  check_text(second, "text", 1);
  std::vector<RawExample> one;
  one.push_back(single(first));
  one[0].is_pair = true;
  one[0].second.text = second;
  return explain_with(alone(), std::move(one), "text").front();
}

std::vector<ExamplePrediction> Explainer::predict(const std::vector<Example>& examples) {
  const std::lock_guard lock(workers_mutex_);
  return model_.classifier->predict(examples, *workers_);
}

std::vector<Explanation> Explainer::explain(std::vector<RawExample> texts,
                                            const std::string& source) {
  const std::lock_guard lock(workers_mutex_);
  return explain_with(*workers_, std::move(texts), source);
}

std::vector<Explanation> Explainer::explain_with(Workers& workers, std::vector<RawExample> texts,
                                                 const std::string& source) {
  const auto count = static_cast<int64_t>(texts.size());
  const bool pairs = reads_pairs(model_.config);
  for (const RawExample& text : texts) {
    if (text.is_pair != pairs) {
      throw InputError("{}:{}: the model reads {}, this is {}", source, text.line,
                       pairs ? "pairs of texts" : "single texts", pairs ? "a text" : "a pair");
    }
  }
  const DataOptions options = data_options(model_.config);
  std::vector<Example> examples(texts.size());
  std::vector<uint8_t> empty(texts.size(), 0);
  workers.run([&](int64_t worker) {
    for (int64_t i = workers.cut(count, worker); i < workers.cut(count, worker + 1); ++i) {
      const auto at = static_cast<size_t>(i);
      tokenize_example(texts[at], options, source);
      examples[at] = make_example(std::move(texts[at]), model_.vocabulary);
      empty[at] = examples[at].words.empty() && !pairs ? 1 : 0;
      if (empty[at] != 0) examples[at].words.push_back(0);
    }
  });
  const std::vector<ExamplePrediction> predictions = model_.classifier->predict(examples, workers);
  std::vector<Explanation> out(texts.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (empty[i] != 0) examples[i].words.clear();
    out[i] = hardkuma::explain(examples[i], predictions[i], model_.config.task,
                               selects_words(model_.config));
    out[i].aspect = model_.config.data.aspect;
    if (empty[i] != 0) out[i].selected = 0.0;
    if (min_confidence_ > 0.0) abstain_below(out[i], min_confidence_);
  }
  return out;
}

}  // namespace hardkuma
