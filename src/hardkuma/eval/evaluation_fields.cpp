#include "hardkuma/eval/evaluation_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hardkuma/common/json_fields.h"
#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

using Json = nlohmann::ordered_json;
using Unit = EvaluationField::Unit;
using Values = std::vector<double>;

// A field's `get`, for a member that applies if a condition holds, and its `set`.
template <typename T, typename When>
auto when(T Evaluation::*member, const When& holds) {
  return [member, holds](const Evaluation& e) {
    return holds(e) ? Values{static_cast<double>(e.*member)} : Values{};
  };
}

template <typename T>
auto into(T Evaluation::*member) {
  return [member](Evaluation& e, const Values& v) { e.*member = static_cast<T>(v[0]); };
}

template <typename Get>
auto of_rationale(const Get& get) {
  return [get](const Evaluation& e) {
    return e.rationale.examples > 0 ? Values{static_cast<double>(get(e.rationale))} : Values{};
  };
}

auto count_of(int64_t RationaleScores::*member) {
  return of_rationale([member](const RationaleScores& r) { return r.*member; });
}

auto into_count(int64_t RationaleScores::*member) {
  return [member](Evaluation& e, const Values& v) {
    e.rationale.*member = static_cast<int64_t>(v[0]);
  };
}

bool always(const Evaluation&) {
  return true;
}
bool is_gated(const Evaluation& e) {
  return e.gated;
}
bool of_texts(const Evaluation& e) {
  return !e.pairs;
}
bool of_pairs(const Evaluation& e) {
  return e.pairs;
}
bool classifies(const Evaluation& e) {
  return !e.regression;
}
bool regresses(const Evaluation& e) {
  return e.regression;
}

// "rationale.precision" as a JSON pointer.
Json::json_pointer place(const EvaluationField& field) {
  std::string path = "/" + field.key;
  std::replace(path.begin(), path.end(), '.', '/');
  return Json::json_pointer(path);
}

Json number(const EvaluationField& field, double value) {
  return field.unit == Unit::Count ? Json(std::llround(value)) : Json(value);
}

// One value, or both ends of an interval. Counts are whole numbers that a double holds.
Values values_of(const EvaluationField& field, const Json& json) {
  constexpr int64_t kMost = int64_t{1} << 53;
  if (field.unit == Unit::Count) {
    return {static_cast<double>(std::clamp(whole_number(json), -kMost, kMost))};
  }
  if (!json.is_array()) return {json.get<double>(), 0.0};
  return {json.at(0).get<double>(), json.at(1).get<double>()};
}

}  // namespace

const std::vector<EvaluationField>& evaluation_fields() {
  using R = RationaleScores;
  using E = Evaluation;
  constexpr bool kDetail = true;
  static const std::vector<EvaluationField> fields = {
      {"examples", "texts", "pairs", Unit::Count, false, when(&E::examples, always),
       into(&E::examples)},
      {"words", "", "", Unit::Count, false, when(&E::units, of_texts), into(&E::units)},
      {"cells", "", "", Unit::Count, false, when(&E::units, of_pairs),
       [](E& e, const Values& v) {
         e.pairs = true;
         e.units = std::llround(v[0]);
       }},
      {"accuracy", "accuracy", "", Unit::Share, true, when(&E::metric, classifies),
       [](E& e, const Values& v) { e.metric = e.metric_low = e.metric_high = v[0]; }},
      {"mse", "MSE", "", Unit::Plain, true, when(&E::metric, regresses),
       [](E& e, const Values& v) {
         e.regression = true;
         e.metric = e.metric_low = e.metric_high = v[0];
       }},
      {"interval", "95% interval", "", Unit::Plain, false,
       [](const E& e) {
         return e.metric_low < e.metric_high ? Values{e.metric_low, e.metric_high} : Values{};
       },
       [](E& e, const Values& v) {
         e.metric_low = v[0];
         e.metric_high = v[1];
       }},
      {"macro_f1",
       "macro F1",
       "",
       Unit::Share,
       true,
       [](const E& e) { return e.by_class.empty() ? Values{} : Values{e.macro_f1()}; },
       {}},
      {"majority",
       "",
       "",
       Unit::Share,
       true,
       [](const E& e) { return e.by_class.empty() ? Values{} : Values{e.majority()}; },
       {}},
      {"auc", "AUC", "", Unit::Plain, true,
       [](const E& e) { return e.auc < 0.0 ? Values{} : Values{e.auc}; }, into(&E::auc), kDetail},
      {"calibration_error",
       "calibration error",
       "",
       Unit::Share,
       true,
       [](const E& e) {
         return e.by_confidence.empty() ? Values{} : Values{e.calibration_error()};
       },
       {},
       kDetail},
      {"loss", "", "", Unit::Plain, true, when(&E::task_loss, always), into(&E::task_loss)},
      {"selected_micro", "words shown", "cells shown", Unit::Share, true,
       when(&E::selected_micro, always), into(&E::selected_micro)},
      {"selected_macro", "mean over texts", "mean over pairs", Unit::Share, true,
       when(&E::selected_macro, always), into(&E::selected_macro), kDetail},
      {"without_evidence", "", "", Unit::Count, false, when(&E::without_evidence, always),
       into(&E::without_evidence)},
      {"expected", "expected", "", Unit::Share, true, when(&E::expected, is_gated),
       [](E& e, const Values& v) {
         e.gated = true;
         e.expected = v[0];
       },
       kDetail},
      {"argmax", "likeliest", "", Unit::Share, true, when(&E::likeliest, is_gated),
       into(&E::likeliest), kDetail},
      {"rationale.examples", "annotated", "", Unit::Count, false, count_of(&R::examples),
       into_count(&R::examples), kDetail},
      {"rationale.selected_share",
       "shown there",
       "words linked",
       Unit::Share,
       false,
       of_rationale([](const R& r) { return r.selected_share(); }),
       {},
       kDetail},
      {"rationale.precision",
       "precision",
       "",
       Unit::Share,
       true,
       of_rationale([](const R& r) { return r.precision(); }),
       {}},
      {"rationale.recall",
       "recall",
       "",
       Unit::Share,
       true,
       of_rationale([](const R& r) { return r.recall(); }),
       {}},
      {"rationale.f1",
       "F1",
       "",
       Unit::Share,
       true,
       of_rationale([](const R& r) { return r.f1(); }),
       {}},
      {"rationale.gold_share",
       "",
       "",
       Unit::Share,
       false,
       of_rationale([](const R& r) { return r.gold_share(); }),
       {}},
      {"rationale.hits", "", "", Unit::Count, false, count_of(&R::hits), into_count(&R::hits)},
      {"rationale.selected", "", "", Unit::Count, false, count_of(&R::selected),
       into_count(&R::selected)},
      {"rationale.gold", "", "", Unit::Count, false, count_of(&R::gold), into_count(&R::gold)},
      {"rationale.words", "", "", Unit::Count, false, count_of(&R::words), into_count(&R::words)},
  };
  return fields;
}

std::string field_text(const EvaluationField& field, const Evaluation& evaluation) {
  const Values values = field.get(evaluation);
  if (values.empty()) return "–";
  // An interval is in its metric's unit.
  const bool share = field.unit == Unit::Share || (values.size() == 2 && !evaluation.regression);
  const auto text = [&](double v) {
    if (field.unit == Unit::Count) return with_commas(std::llround(v));
    return share ? fmt::format("{:.1f}%", 100.0 * v) : fmt::format("{:.4g}", v);
  };
  return values.size() == 1 ? text(values[0]) : text(values[0]) + " – " + text(values[1]);
}

Json to_json(const Evaluation& evaluation) {
  Json out = Json::object();
  for (const EvaluationField& field : evaluation_fields()) {
    const Values values = field.get(evaluation);
    if (values.size() == 1) out[place(field)] = number(field, values[0]);
    if (values.size() == 2)
      out[place(field)] = {number(field, values[0]), number(field, values[1])};
  }
  for (const auto& [name, error] : evaluation.by_value) out["mse_by_value"][name] = error;
  for (const ClassScores& one : evaluation.by_class) {
    out["classes"].push_back({{"label", one.label},
                              {"support", one.support},
                              {"predicted", one.predicted},
                              {"correct", one.correct},
                              {"precision", one.precision()},
                              {"recall", one.recall()},
                              {"f1", one.f1()},
                              {"selected", one.selected}});
  }
  for (const ConfidenceBin& bin : evaluation.by_confidence) {
    out["confidence"].push_back(
        {{"examples", bin.examples}, {"correct", bin.correct}, {"mean", bin.confidence}});
  }
  if (!evaluation.confusion.empty()) out["confusion"] = evaluation.confusion;
  return out;
}

Evaluation evaluation_from_json(const Json& json) {
  Evaluation out;
  json.at("examples");  // throws if it is no evaluation
  for (const EvaluationField& field : evaluation_fields()) {
    if (!field.set || !json.contains(place(field))) continue;
    field.set(out, values_of(field, json.at(place(field))));
  }
  if (json.contains("mse_by_value")) {
    for (const auto& [name, error] : json["mse_by_value"].items())
      out.by_value.emplace_back(name, error.get<double>());
  }
  for (const Json& one : json.value("classes", Json::array())) {
    out.by_class.push_back({one.at("label").get<std::string>(), whole_number(one.at("support")),
                            whole_number(one.at("predicted")), whole_number(one.at("correct")),
                            one.value("selected", 0.0)});
  }
  for (const Json& bin : json.value("confidence", Json::array())) {
    out.by_confidence.push_back({whole_number(bin.at("examples")), whole_number(bin.at("correct")),
                                 bin.at("mean").get<double>()});
  }
  for (const Json& row : json.value("confusion", Json::array())) {
    out.confusion.emplace_back();
    for (const Json& count : row) out.confusion.back().push_back(whole_number(count));
  }
  return out;
}

std::vector<const EvaluationField*> csv_columns(const std::vector<Evaluation>& evaluations) {
  std::vector<const EvaluationField*> out;
  for (const EvaluationField& field : evaluation_fields()) {
    const bool any = std::any_of(evaluations.begin(), evaluations.end(),
                                 [&](const Evaluation& e) { return !field.get(e).empty(); });
    if (field.in_csv && any) out.push_back(&field);
  }
  return out;
}

std::string csv_name(const EvaluationField& field) {
  return field.key.substr(field.key.rfind('.') + 1);
}

std::string csv_value(const EvaluationField& field, const Evaluation& evaluation) {
  const Values values = field.get(evaluation);
  return values.empty() ? "" : fmt::format("{:.6g}", values[0]);
}

}  // namespace hardkuma
