#include "hardkuma/report/explanation.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"

namespace hardkuma {

using Json = nlohmann::ordered_json;

namespace {

// Six significant digits say all a float32 probability has to say.
double rounded(double value) {
  return std::stod(fmt::format("{:.6g}", value));
}

}  // namespace

Explanation explain(const Example& example, const ExamplePrediction& prediction,
                    const TaskInfo& task) {
  Explanation out;
  out.id = example.id;
  out.text = example.text;
  if (task.regression) {
    const size_t count = prediction.scores.size();
    for (size_t k = 0; k < count; ++k) {
      out.value += prediction.value(task, k) / static_cast<double>(count);
      if (count > 1) out.values.emplace_back(task.labels[k], prediction.value(task, k));
    }
  } else {
    out.label = task.labels[static_cast<size_t>(prediction.best())];
    for (size_t i = 0; i < task.labels.size(); ++i) {
      out.scores.emplace_back(task.labels[i], prediction.scores[i]);
    }
  }
  bool open = false;
  for (size_t t = 0; t < example.tokens.size(); ++t) {
    const Token& token = example.tokens[t];
    const bool gold = example.has_gold && example.gold[t] != 0;
    out.words.push_back({token, prediction.z[t], prediction.p_zero[t], prediction.p_one[t], gold});
    const bool selected = prediction.z[t] > 0.0f;
    if (selected && open) {
      out.rationale.back().token.end = token.end;
      out.rationale.back().token.byte_end = token.byte_end;
    } else if (selected) {
      out.rationale.push_back({token});
    }
    open = selected;
  }
  if (!out.words.empty()) {
    out.selected =
        static_cast<double>(prediction.selected()) / static_cast<double>(out.words.size());
  }
  return out;
}

std::string to_json_line(const Explanation& e) {
  return to_json(e).dump();
}

Json to_json(const Explanation& e) {
  Json prediction;
  if (e.scores.empty()) {
    prediction["value"] = rounded(e.value);
    for (const auto& [name, value] : e.values) prediction["values"][name] = rounded(value);
  } else {
    prediction["label"] = e.label;
    Json scores = Json::object();
    for (const auto& [label, score] : e.scores) scores[label] = rounded(score);
    prediction["scores"] = std::move(scores);
  }
  Json rationale = Json::array();
  for (const Explanation::Span& span : e.rationale) {
    rationale.push_back(
        {{"start", span.token.start}, {"end", span.token.end}, {"text", span.token.in(e.text)}});
  }
  Json tokens = Json::array();
  for (const Explanation::Word& word : e.words) {
    tokens.push_back({{"start", word.token.start},
                      {"end", word.token.end},
                      {"z", rounded(word.z)},
                      {"p0", rounded(word.p_zero)},
                      {"p1", rounded(word.p_one)}});
  }
  Json line = {{"id", e.id}, {"text", e.text}};
  if (!e.aspect.empty()) line["aspect"] = e.aspect;
  line["prediction"] = std::move(prediction);
  line["selected"] = rounded(e.selected);
  line["rationale"] = std::move(rationale);
  line["tokens"] = std::move(tokens);
  return line;
}

std::string prediction_text(const Explanation& e) {
  return e.aspect.empty() ? value_text(e) : e.aspect + ": " + value_text(e);
}

std::string value_text(const Explanation& e) {
  if (!e.values.empty()) {
    std::string out;
    for (const auto& [name, value] : e.values) {
      out += fmt::format("{}{} {:.3g}", out.empty() ? "" : ", ", name, value);
    }
    return out;
  }
  if (e.scores.empty()) return fmt::format("{:.3g}", e.value);
  for (const auto& [label, score] : e.scores) {
    if (label == e.label) return fmt::format("{} {:.0f}%", label, 100.0 * score);
  }
  return e.label;
}

std::string highlighted(const Explanation& e, bool colour) {
  std::string out;
  size_t at = 0;
  for (const Explanation::Span& span : e.rationale) {
    out.append(e.text, at, static_cast<size_t>(span.token.byte_start) - at);
    out += colour ? "\x1b[30;43m" : "[";
    out += span.token.in(e.text);
    out += colour ? "\x1b[0m" : "]";
    at = static_cast<size_t>(span.token.byte_end);
  }
  return out + e.text.substr(at);
}

}  // namespace hardkuma
