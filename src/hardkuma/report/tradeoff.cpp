#include "hardkuma/report/tradeoff.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "hardkuma/eval/evaluation_fields.h"
#include "hardkuma/eval/spread.h"
#include "hardkuma/report/table.h"

namespace hardkuma {
namespace {

using Value = double (*)(const Evaluation&);

double metric(const Evaluation& e) {
  return e.metric;
}
double selected(const Evaluation& e) {
  return e.selected_micro;
}
double precision(const Evaluation& e) {
  return e.rationale.precision();
}

// One model at one target, over its seeds.
struct Group {
  std::string model;
  double target;
  std::vector<const Evaluation*> runs;

  Spread of(Value value) const {
    std::vector<double> values;
    for (const Evaluation* run : runs) values.push_back(value(*run));
    Spread out = spread_of(values);
    // No value is negative, and only a regression's error can be above 1.
    out.low = std::max(out.low, 0.0);
    if (!(runs[0]->regression && value == metric)) out.high = std::min(out.high, 1.0);
    return out;
  }
};

// Models in order of appearance, each with ascending targets.
std::vector<Group> groups(const std::vector<SweepPoint>& points) {
  std::vector<std::string> models;
  for (const SweepPoint& point : points) {
    if (std::find(models.begin(), models.end(), point.model) == models.end())
      models.push_back(point.model);
  }
  std::vector<Group> out;
  for (const std::string& model : models) {
    std::map<double, Group> by_target;
    for (const SweepPoint& point : points) {
      if (point.model != model) continue;
      by_target.try_emplace(point.target, Group{model, point.target, {}})
          .first->second.runs.push_back(&point.measured);
    }
    for (auto& [target, group] : by_target) out.push_back(std::move(group));
  }
  return out;
}

bool is_regression(const std::vector<SweepPoint>& points) {
  return !points.empty() && points[0].measured.regression;
}

LineChart against_selected(const std::vector<SweepPoint>& points, const std::string& title,
                           const Axis& y, Value value) {
  const bool pairs = !points.empty() && points[0].measured.pairs;
  LineChart chart{title, {pairs ? "of the cells" : "of the words", true, true}, y, {}};
  for (const Group& group : groups(points)) {
    if (group.target == 1.0) continue;
    if (chart.series.empty() || chart.series.back().name != group.model) {
      chart.series.push_back({group.model, {}, {}});
      chart.series.back().points = true;
    }
    Series& series = chart.series.back();
    const Spread spread = group.of(value);
    series.x.push_back(group.of(selected).mean);
    series.y.push_back(spread.mean);
    // Two seeds say next to nothing of the others: an interval of them would fill the chart.
    const bool interval = spread.count > 2;
    series.low.push_back(interval ? spread.low : spread.mean);
    series.high.push_back(interval ? spread.high : spread.mean);
  }
  // Selected shares may be in a different order than the targets.
  for (Series& series : chart.series) {
    std::vector<size_t> order(series.x.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return series.x[a] < series.x[b]; });
    for (std::vector<double>* values : {&series.y, &series.low, &series.high, &series.x}) {
      const std::vector<double> before = *values;
      for (size_t i = 0; i < order.size(); ++i) (*values)[i] = before[order[i]];
    }
  }
  return chart;
}

}  // namespace

bool has_gold(const std::vector<SweepPoint>& points) {
  return std::any_of(points.begin(), points.end(),
                     [](const SweepPoint& p) { return p.measured.rationale.examples > 0; });
}

std::string sweep_csv(const std::vector<SweepPoint>& points) {
  std::vector<Evaluation> measured;
  for (const SweepPoint& point : points) {
    measured.push_back(point.measured);
    // With all words selected, the precision is just the annotated share.
    if (point.target == 1.0) measured.back().rationale = {};
  }
  const std::vector<const EvaluationField*> columns = csv_columns(measured);
  std::string out = "model,target,seed,split";
  for (const EvaluationField* field : columns) out += "," + csv_name(*field);
  for (size_t i = 0; i < points.size(); ++i) {
    out += fmt::format("\n{},{:.6g},{},{}", points[i].model, points[i].target, points[i].seed,
                       points[i].split);
    for (const EvaluationField* field : columns) out += "," + csv_value(*field, measured[i]);
  }
  return out + "\n";
}

std::vector<std::vector<std::string>> sweep_rows(const std::vector<SweepPoint>& points) {
  const bool regression = is_regression(points);
  const bool gold = has_gold(points);
  const bool pairs = !points.empty() && points[0].measured.pairs;
  std::vector<std::vector<std::string>> rows = {{"", "target", "seeds",
                                                 pairs ? "cells shown" : "words shown",
                                                 regression ? "MSE" : "accuracy", "95% interval"}};
  if (gold) rows[0].insert(rows[0].end(), {"precision", "F1"});
  for (const Group& group : groups(points)) {
    const auto value = [&](double v) { return regression ? fmt::format("{:.3g}", v) : percent(v); };
    const Spread task = group.of(metric);
    const std::string interval =
        task.count > 2 ? fmt::format("{} – {}", value(task.low), value(task.high)) : "–";
    std::vector<std::string> row = {
        group.model,
        group.target == 1.0 ? "–" : fmt::format("{:.3g}%", 100.0 * group.target),
        fmt::format("{}", task.count),
        percent(group.of(selected).mean),
        value(task.mean),
        interval};
    if (gold && group.target == 1.0) row.insert(row.end(), {"–", "–"});
    if (gold && group.target != 1.0) {
      row.push_back(percent(group.of(precision).mean));
      row.push_back(percent(group.of([](const Evaluation& e) { return e.rationale.f1(); }).mean));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

LineChart tradeoff_chart(const std::vector<SweepPoint>& points, const std::string& title) {
  const bool regression = is_regression(points);
  LineChart chart = against_selected(
      points, title, {regression ? "mean squared error" : "accuracy", !regression}, metric);
  for (const Group& group : groups(points)) {
    if (group.target != 1.0) continue;
    const Spread full = group.of(metric);
    const bool interval = full.count > 2;
    chart.levels.push_back(
        {"full text", interval ? full.low : full.mean, interval ? full.high : full.mean});
  }
  return chart;
}

LineChart precision_chart(const std::vector<SweepPoint>& points, const std::string& title) {
  LineChart chart = against_selected(points, title, {"precision", true, true}, precision);
  for (const SweepPoint& point : points) {
    const double share = point.measured.rationale.gold_share();
    if (share == 0.0) continue;
    chart.levels.push_back({"at random", share, share});
    break;
  }
  return chart;
}

}  // namespace hardkuma
