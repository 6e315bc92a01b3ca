#include "hardkuma/report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "hardkuma/common/text.h"
#include "hardkuma/eval/evaluation_fields.h"

namespace hardkuma {

std::string text_table(const std::vector<std::vector<std::string>>& cells) {
  std::vector<std::vector<std::string>> rows = cells;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  std::vector<int64_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], count_code_points(row[i]));
  }
  std::string out;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < rows[r].size(); ++i) {
      const std::string pad(static_cast<size_t>(widths[i] - count_code_points(rows[r][i])), ' ');
      line += i == 0 ? rows[r][i] + pad : "  " + pad + rows[r][i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r > 0) continue;
    int64_t total = -2;
    for (const int64_t width : widths) total += width + 2;
    for (int64_t i = 0; i < total; ++i) out += "─";
    out += "\n";
  }
  return out;
}

std::string percent(double share, int digits) {
  return fmt::format("{:.{}f}%", 100.0 * share, digits);
}

std::vector<std::vector<std::string>> evaluation_rows(const std::vector<NamedEvaluation>& entries) {
  const bool pairs = !entries.empty() && entries[0].evaluation.pairs;
  std::vector<const EvaluationField*> columns;
  std::vector<std::vector<std::string>> rows = {{""}};
  for (const EvaluationField& field : evaluation_fields()) {
    const bool any = std::any_of(entries.begin(), entries.end(), [&](const NamedEvaluation& e) {
      return !field.get(e.evaluation).empty();
    });
    if (field.title.empty() || !any) continue;
    columns.push_back(&field);
    rows[0].push_back(pairs && !field.pairs_title.empty() ? field.pairs_title : field.title);
  }
  for (const auto& [name, evaluation] : entries) {
    rows.push_back({name});
    for (const EvaluationField* field : columns) {
      rows.back().push_back(field_text(*field, evaluation));
    }
  }
  return rows;
}

std::string evaluation_table(const std::vector<NamedEvaluation>& entries) {
  std::string out = text_table(evaluation_rows(entries));
  for (const auto& [name, e] : entries) {
    for (size_t k = 0; k < e.by_value.size(); ++k) {
      out += fmt::format("{}MSE of {} {:.4g}", k == 0 ? name + ": " : ", ", e.by_value[k].first,
                         e.by_value[k].second);
    }
    if (!e.by_value.empty()) out += "\n";
  }
  return out;
}

}  // namespace hardkuma
