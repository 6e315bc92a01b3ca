#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hardkuma/eval/evaluation.h"

namespace hardkuma {

/// One number of an evaluation in JSON, tables and CSV. A new number needs only a new row in
/// evaluation_fields().
struct EvaluationField {
  enum class Unit { Count, Plain, Share };

  std::string key;          ///< in JSON: "rationale.precision"; in CSV the last part
  std::string title;        ///< of the column in tables; "": no column
  std::string pairs_title;  ///< `title` for pairs of texts; "": the same
  Unit unit = Unit::Plain;
  bool in_csv = true;
  /// One value, or both ends of an interval; none if the field does not apply.
  std::function<std::vector<double>(const Evaluation&)> get;
  std::function<void(Evaluation&, const std::vector<double>&)> set;  ///< null: derived
  bool detail = false;  ///< a column that only researchers need
};
const std::vector<EvaluationField>& evaluation_fields();

/// A field's value as people read it: "43.1%", "0.0123", "1,000", "42.0% – 44.2%", "–".
std::string field_text(const EvaluationField& field, const Evaluation& evaluation);

nlohmann::ordered_json to_json(const Evaluation& evaluation);

/// The inverse of to_json(); throws nlohmann::json::exception if it is no evaluation.
Evaluation evaluation_from_json(const nlohmann::ordered_json& json);

/// The columns with a value in at least one evaluation; csv_value() is "" without a value.
std::vector<const EvaluationField*> csv_columns(const std::vector<Evaluation>& evaluations);
std::string csv_name(const EvaluationField& field);
std::string csv_value(const EvaluationField& field, const Evaluation& evaluation);

}  // namespace hardkuma
