#include "hardkuma/train/epoch_report.h"

#include <fmt/format.h>

#include <sstream>

#include "hardkuma/common/directory.h"
#include "hardkuma/common/error.h"
#include "hardkuma/common/json.h"
#include "hardkuma/common/json_fields.h"
#include "hardkuma/common/text.h"
#include "hardkuma/eval/evaluation_fields.h"

namespace hardkuma {

// All but dev, trace and alarm, which are not plain values.
template <typename Self, typename Visit>
requires std::is_same_v<std::remove_const_t<Self>, EpochReport>
void each_field(Self& r, const Visit& visit) {
  visit("epoch", r.epoch);
  visit("epochs", r.epochs);
  visit("steps", r.steps);
  visit("train_loss", r.train_loss);
  visit("train_rate", r.train_rate);
  visit("goal", r.goal);
  visit("lambda", r.lambda);
  visit("learning_rate", r.learning_rate);
  visit("threshold", r.threshold);
  visit("chosen", r.chosen);
}

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMetrics = "metrics.jsonl";

}  // namespace

// [[step, rate, goal, lambda], …]; six digits are enough to draw.
Json to_json(const std::vector<TracedStep>& trace) {
  Json out = Json::array();
  for (const TracedStep& t : trace) {
    out.push_back({t.step, rounded(t.rate), rounded(t.goal), rounded(t.lambda)});
  }
  return out;
}

std::vector<TracedStep> trace_from_json(const Json& json) {
  std::vector<TracedStep> out;
  for (const Json& t : json) out.push_back({whole_number(t.at(0)), t.at(1), t.at(2), t.at(3)});
  return out;
}

Json to_json(const EpochReport& report) {
  Json out = fields_to_json(report);
  out["dev"] = to_json(report.dev);
  if (!report.trace.empty()) out["trace"] = to_json(report.trace);
  if (!report.alarm.empty()) out["alarm"] = report.alarm;
  return out;
}

EpochReport epoch_report_from_json(const Json& json) {
  EpochReport out;
  json.at("epoch");  // throws if it is no epoch
  fields_from_json(json, out);
  out.dev = evaluation_from_json(json.at("dev"));
  if (json.contains("trace")) out.trace = trace_from_json(json["trace"]);
  out.alarm = json.value("alarm", "");
  return out;
}

std::string metrics_text(const std::vector<EpochReport>& epochs) {
  std::string out;
  for (const EpochReport& report : epochs) out += to_json(report).dump() + "\n";
  return out;
}

std::vector<EpochReport> read_metrics(const std::filesystem::path& directory) {
  return read_committed(directory, [&](const CommittedDirectory& committed) {
    std::vector<EpochReport> out;
    if (!committed.has(kMetrics)) return out;
    std::istringstream lines(committed.read(kMetrics));
    for (std::string line; std::getline(lines, line);) {
      const std::string where =
          fmt::format("{}:{}", (directory / kMetrics).string(), out.size() + 1);
      try {
        out.push_back(epoch_report_from_json(parse_json(line, where)));
      } catch (const nlohmann::json::exception&) {
        throw InputError("{}: not an epoch of this version", where);
      }
    }
    return out;
  });
}

}  // namespace hardkuma
