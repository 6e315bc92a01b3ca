#include "hardkuma/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hardkuma/common/text.h"

namespace hardkuma {

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
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
  const bool regression = !entries.empty() && entries[0].evaluation.regression;
  const bool pairs = !entries.empty() && entries[0].evaluation.pairs;
  const bool gold = std::any_of(entries.begin(), entries.end(), [](const NamedEvaluation& e) {
    return e.evaluation.rationale.examples > 0;
  });
  std::vector<std::string> head = {"",
                                   "examples",
                                   regression ? "MSE" : "accuracy",
                                   "95% interval",
                                   pairs ? "selected (cells)" : "selected (words)",
                                   pairs ? "(pairs)" : "(texts)"};
  const bool gated = std::any_of(entries.begin(), entries.end(),
                                 [](const NamedEvaluation& e) { return e.evaluation.gated; });
  if (gated) head.insert(head.end(), {"expected", "by argmax"});
  if (gold) {
    head.insert(head.end(), {"annotated", pairs ? "words linked" : "selected there", "precision",
                             "recall", "F1"});
  }
  std::vector<std::vector<std::string>> rows = {head};
  for (const auto& [name, e] : entries) {
    const auto value = [&](double v) { return regression ? fmt::format("{:.4g}", v) : percent(v); };
    std::vector<std::string> row = {
        name,
        with_commas(e.examples),
        value(e.metric),
        e.metric_low < e.metric_high
            ? fmt::format("{} – {}", value(e.metric_low), value(e.metric_high))
            : "–",
        percent(e.selected_micro),
        percent(e.selected_macro)};
    if (gated) {
      row.push_back(e.gated ? percent(e.expected) : "–");
      row.push_back(e.gated ? percent(e.likeliest) : "–");
    }
    if (gold && e.rationale.examples > 0) {
      row.push_back(with_commas(e.rationale.examples));
      row.push_back(percent(e.rationale.selected_share()));
      row.push_back(percent(e.rationale.precision()));
      row.push_back(percent(e.rationale.recall()));
      row.push_back(percent(e.rationale.f1()));
    }
    row.resize(head.size());
    rows.push_back(std::move(row));
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

std::string evaluation_json(const Evaluation& e) {
  nlohmann::ordered_json out = nlohmann::ordered_json::parse(to_json(e));
  out["interval"] = {e.metric_low, e.metric_high};
  return out.dump();
}

}  // namespace hardkuma
