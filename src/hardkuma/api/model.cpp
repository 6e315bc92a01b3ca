#include "hardkuma/model.h"

#include <map>

#include "hardkuma/api/translate.h"
#include "hardkuma/common/error.h"
#include "hardkuma/data/make_example.h"
#include "hardkuma/model/data_options.h"
#include "hardkuma/report/explainer.h"
#include "hardkuma/train/measured_split.h"

namespace hardkuma {

class Model::Impl {
 public:
  Impl(const std::filesystem::path& path, const ModelOptions& options)
      : directory(path), explainer(path, checked(options.workers), options.device) {
    explainer.set_truncate(explainer.model().config.data.truncate || options.truncate);
  }

  static int64_t checked(int64_t workers) {
    if (workers < 0) throw UsageError("workers: 0 (one per core) or more, got {}", workers);
    return workers;
  }

  std::filesystem::path directory;
  mutable Explainer explainer;  // safe for several threads
};

Model::Model(const std::filesystem::path& directory, const ModelOptions& options)
    : impl_(translated([&] { return std::make_unique<Impl>(directory, options); })) {}

Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Explanation Model::explain(const std::string& text) const {
  return translated([&] { return impl_->explainer.explain(text); });
}

Explanation Model::explain(const std::string& first, const std::string& second) const {
  return translated([&] { return impl_->explainer.explain(first, second); });
}

std::vector<Explanation> Model::explain_all(const std::vector<std::string>& texts) const {
  return translated([&] {
    std::vector<RawExample> records(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      records[i].line = static_cast<int64_t>(i) + 1;
      records[i].id = std::to_string(i);
      check_text(texts[i], "text", records[i].line);
      records[i].text = texts[i];
    }
    return impl_->explainer.explain(std::move(records), "text");
  });
}

std::vector<Explanation> Model::explain_all(
    const std::vector<std::pair<std::string, std::string>>& pairs) const {
  return translated([&] {
    std::vector<RawExample> records(pairs.size());
    for (size_t i = 0; i < pairs.size(); ++i) {
      records[i].line = static_cast<int64_t>(i) + 1;
      records[i].id = std::to_string(i);
      check_text(pairs[i].first, "text", records[i].line);
      check_text(pairs[i].second, "text", records[i].line);
      records[i].text = pairs[i].first;
      records[i].is_pair = true;
      records[i].second.text = pairs[i].second;
    }
    return impl_->explainer.explain(std::move(records), "text");
  });
}

Evaluation Model::evaluate(const std::string& data, const std::string& split) const {
  return translated([&] {
    const SavedModel& model = impl_->explainer.model();
    MeasuredSplit measured =
        choose_split(data, split, impl_->directory.string(), data_options(model.config));
    const std::vector<Example> set =
        make_examples(std::move(measured.records), model.config.task, model.vocabulary);
    return summarise(set, impl_->explainer.predict(set), model.config.task, kBootstrap);
  });
}

void Model::set_budget(double share, int64_t spans) {
  translated([&] {
    if (!(share > 0.0 && share <= 1.0)) {
      throw InputError("a budget is a share above 0 and at most 1, got {}", share);
    }
    if (spans < 0) throw InputError("a budget is in 0 spans (any) or more, got {}", spans);
    Choice choice;
    choice.budget = share;
    choice.spans = spans;
    impl_->explainer.set_choice(choice);
  });
}

bool Model::reads_pairs() const {
  return hardkuma::reads_pairs(impl_->explainer.model().config);
}

bool Model::selects_words() const {
  return hardkuma::selects_words(impl_->explainer.model().config);
}

std::vector<std::string> Model::labels() const {
  return impl_->explainer.model().config.task.labels;
}

std::string Model::aspect() const {
  return impl_->explainer.model().config.data.aspect;
}

std::vector<Explanation> explain(const std::vector<const Model*>& models, const std::string& text) {
  std::vector<Explanation> out;
  for (const Model* model : models) {
    if (model == nullptr) throw UsageError("explain: there is no model");
    out.push_back(model->explain(text));
  }
  return out;
}

}  // namespace hardkuma
