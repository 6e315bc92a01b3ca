#include "hardkuma/report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "hardkuma/common/text.h"
#include "hardkuma/eval/class_scores.h"
#include "hardkuma/eval/evaluation_fields.h"

namespace hardkuma {

namespace {

using Row = std::vector<std::string>;

// A title that is wider than the cells below it goes on two lines, cut at the space that leaves the
// narrower column: (upper, lower).
std::pair<std::string, std::string> title_lines(const std::string& title, int64_t cells_width) {
  std::pair<std::string, std::string> best = {"", title};
  int64_t width = count_code_points(title);
  for (size_t at = title.find(' '); at != std::string::npos; at = title.find(' ', at + 1)) {
    const std::string upper = title.substr(0, at);
    const std::string lower = title.substr(at + 1);
    const int64_t wider = std::max(count_code_points(upper), count_code_points(lower));
    if (width <= cells_width || wider >= width) continue;
    best = {upper, lower};
    width = wider;
  }
  return best;
}

std::vector<int64_t> widths_of(const std::vector<Row>& rows) {
  std::vector<int64_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], count_code_points(row[i]));
  }
  return widths;
}

}  // namespace

std::string text_table(const std::vector<Row>& cells) {
  std::vector<Row> rows = cells;
  for (Row& row : rows) {
    for (std::string& cell : row) cell = printable(cell);
  }
  const std::vector<int64_t> cells_widths = widths_of({rows.begin() + 1, rows.end()});
  Row upper;
  for (size_t i = 0; i < rows[0].size(); ++i) {
    auto lines = title_lines(rows[0][i], i < cells_widths.size() ? cells_widths[i] : 0);
    upper.push_back(lines.first);
    rows[0][i] = lines.second;
  }
  size_t head = 1;
  if (std::any_of(upper.begin(), upper.end(), [](const auto& title) { return !title.empty(); })) {
    rows.insert(rows.begin(), upper);
    head = 2;
  }
  const std::vector<int64_t> widths = widths_of(rows);
  std::string out;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < rows[r].size(); ++i) {
      const std::string pad(static_cast<size_t>(widths[i] - count_code_points(rows[r][i])), ' ');
      line += i == 0 ? rows[r][i] + pad : "  " + pad + rows[r][i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r + 1 != head) continue;
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

std::vector<std::vector<std::string>> evaluation_rows(const std::vector<NamedEvaluation>& entries,
                                                      Detail detail) {
  const bool pairs = !entries.empty() && entries[0].evaluation.pairs;
  std::vector<const EvaluationField*> columns;
  std::vector<std::vector<std::string>> rows = {{""}};
  for (const EvaluationField& field : evaluation_fields()) {
    const bool any = std::any_of(entries.begin(), entries.end(), [&](const NamedEvaluation& e) {
      return !field.get(e.evaluation).empty();
    });
    const bool left_out = field.detail && detail == Detail::Brief;
    if (field.title.empty() || left_out || !any) continue;
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

std::vector<Row> class_rows(const Evaluation& evaluation) {
  std::vector<Row> rows = {
      {"class", "texts", "predicted", "precision", "recall", "F1", "words shown"}};
  for (const ClassScores& one : evaluation.by_class) {
    rows.push_back({quotable(one.label), with_commas(one.support), with_commas(one.predicted),
                    one.predicted == 0 ? "–" : percent(one.precision()),
                    one.support == 0 ? "–" : percent(one.recall()), percent(one.f1()),
                    one.predicted == 0 ? "–" : percent(one.selected)});
  }
  return rows;
}

std::vector<Row> confusion_rows(const Evaluation& evaluation) {
  std::vector<Row> rows = {{"class \\ predicted"}};
  for (size_t k = 0; k < evaluation.confusion.size(); ++k) {
    const std::string label = quotable(evaluation.by_class.at(k).label);
    rows[0].push_back(label);
    rows.push_back({label});
    for (const int64_t count : evaluation.confusion[k]) rows.back().push_back(with_commas(count));
  }
  return rows;
}

std::string evaluation_table(const std::vector<NamedEvaluation>& entries, Detail detail) {
  std::string out = text_table(evaluation_rows(entries, detail));
  for (const auto& [name, e] : entries) {
    for (size_t k = 0; k < e.by_value.size(); ++k) {
      out += fmt::format("{}MSE of {} {:.4g}", k == 0 ? name + ": " : ", ", e.by_value[k].first,
                         e.by_value[k].second);
    }
    if (!e.by_value.empty()) out += "\n";
  }
  if (!entries.empty() && !entries.back().evaluation.by_class.empty()) {
    const auto& [name, e] = entries.back();
    out += fmt::format("Majority class in {}: {}, {}.\n", printable(name),
                       printable(majority_class(e)), percent(e.majority()));
  }
  return out;
}

}  // namespace hardkuma
