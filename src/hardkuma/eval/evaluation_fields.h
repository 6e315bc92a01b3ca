#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hardkuma/eval/evaluation.h"

namespace hardkuma {

/// A number of an evaluation, as JSON, tables and CSV have it: another number is another row of
/// evaluation_fields(), and nothing else.
struct EvaluationField {
  enum class Unit { Count, Plain, Share };

  std::string key;          ///< in JSON and, without its object, CSV: "rationale.precision"
  std::string title;        ///< of a table's column; "": in none
  std::string pairs_title;  ///< where pairs of texts were measured; "": the same
  Unit unit = Unit::Plain;
  bool in_csv = true;
  /// One value, or both ends of an interval; none where the field says nothing of an evaluation.
  std::function<std::vector<double>(const Evaluation&)> get;
  std::function<void(Evaluation&, const std::vector<double>&)> set;  ///< null: follows from others
};
const std::vector<EvaluationField>& evaluation_fields();

/// A field's value as people read it: "43.1%", "0.0123", "1,000", "42.0% – 44.2%", "–".
std::string field_text(const EvaluationField& field, const Evaluation& evaluation);

nlohmann::ordered_json to_json(const Evaluation& evaluation);

/// Back again; throws nlohmann::json::exception where it is no evaluation.
Evaluation evaluation_from_json(const nlohmann::ordered_json& json);

/// The columns that at least one of them has, and one's values in them, "" where it has none.
std::vector<const EvaluationField*> csv_columns(const std::vector<Evaluation>& evaluations);
std::string csv_name(const EvaluationField& field);
std::string csv_value(const EvaluationField& field, const Evaluation& evaluation);

}  // namespace hardkuma
