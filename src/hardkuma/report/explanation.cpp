#include "hardkuma/report/explanation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/report/alignment.h"

namespace hardkuma {

using Json = nlohmann::ordered_json;

namespace {

struct WordGates {
  const std::vector<float>& z;
  const std::vector<float>& p_zero;  // empty for pairs, where only cells have them
  const std::vector<float>& p_one;
};

void add_words(const Words& words, bool has_gold, const WordGates& gates, ExplainedText& out) {
  out.text = words.text;
  bool open = false;
  for (size_t t = 0; t < words.tokens.size(); ++t) {
    const Token& token = words.tokens[t];
    ExplainedText::Word word{token,
                             gates.z[t],
                             0.0f,
                             0.0f,
                             has_gold && words.gold[t] != 0,
                             !words.unknown.empty() && words.unknown[t] != 0};
    if (!gates.p_zero.empty()) {
      word.p_zero = gates.p_zero[t];
      word.p_one = gates.p_one[t];
    }
    out.words.push_back(word);
    const bool selected = word.z > 0.0f;
    if (selected && open) {
      out.rationale.back().end = token.end;
      out.rationale.back().byte_end = token.byte_end;
    } else if (selected) {
      out.rationale.push_back(token);
    }
    open = selected;
  }
}

Json spans_json(const ExplainedText& text) {
  Json out = Json::array();
  for (const Token& span : text.rationale) {
    out.push_back({{"start", span.start}, {"end", span.end}, {"text", span.in(text.text)}});
  }
  return out;
}

void add_shares(const Explanation& e, Json& line) {
  line["selected"] = rounded(e.selected);
  if (e.expected) line["expected"] = rounded(*e.expected);
  if (e.argmax) line["argmax"] = rounded(*e.argmax);
}

}  // namespace

Explanation explain(const Example& example, const ExamplePrediction& prediction,
                    const TaskInfo& task, bool selects) {
  Explanation out;
  out.id = example.id;
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
  if (example.is_pair) {
    const LinkedWords linked = selects
                                   ? linked_words(example, prediction)
                                   : LinkedWords{std::vector<float>(example.words.size()),
                                                 std::vector<float>(example.second.words.size())};
    add_words(example, example.has_gold, {linked.first, {}, {}}, out);
    out.alignment.emplace();
    add_words(example.second, example.has_gold, {linked.second, {}, {}}, out.alignment->second);
    if (selects) {
      out.alignment->z = prediction.z;
      out.alignment->p_zero = prediction.p_zero;
      out.alignment->p_one = prediction.p_one;
    }
  } else {
    add_words(example, example.has_gold, {prediction.z, prediction.p_zero, prediction.p_one}, out);
  }
  if (example.units() > 0) {
    const auto units = static_cast<double>(example.units());
    out.selected = static_cast<double>(prediction.selected()) / units;
    if (prediction.gated) {
      out.expected = prediction.expected() / units;
      out.argmax = static_cast<double>(prediction.likeliest()) / units;
    }
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
    prediction["label"] = e.abstained.empty() ? Json(e.label) : Json();
    if (!e.abstained.empty()) prediction["abstained"] = e.abstained;
    Json scores = Json::object();
    for (const auto& [label, score] : e.scores) scores[label] = rounded(score);
    prediction["scores"] = std::move(scores);
  }
  if (e.alignment) {
    Json line = {{"id", e.id}, {"first", e.text}, {"second", e.alignment->second.text}};
    line["prediction"] = std::move(prediction);
    if (e.alignment->z.empty()) return line;
    add_shares(e, line);
    line["rationale"] = {{"first", spans_json(e)}, {"second", spans_json(e.alignment->second)}};
    line["links"] = links_json(e);
    line["cells"] = cells_json(e);
    return line;
  }
  Json tokens = Json::array();
  for (const Explanation::Word& word : e.words) {
    tokens.push_back({{"start", word.token.start},
                      {"end", word.token.end},
                      {"z", rounded(word.z)},
                      {"p0", rounded(word.p_zero)},
                      {"p1", rounded(word.p_one)}});
    if (word.unknown) tokens.back()["unknown"] = true;
  }
  Json line = {{"id", e.id}, {"text", e.text}};
  if (!e.aspect.empty()) line["aspect"] = e.aspect;
  line["prediction"] = std::move(prediction);
  add_shares(e, line);
  line["rationale"] = spans_json(e);
  line["tokens"] = std::move(tokens);
  return line;
}

namespace {

// "label 0", since a number alone could be read as a score.
std::string label_text(const std::string& label) {
  double ignored = 0.0;
  return (parse_number(label, ignored) ? "label " : "") + printable(label);
}

}  // namespace

std::string prediction_text(const Explanation& e) {
  return e.aspect.empty() ? value_text(e) : printable(e.aspect) + ": " + value_text(e);
}

std::string shown_text(const Explanation& e) {
  const char* unit = e.alignment ? "cell" : "word";
  if (e.selected == 0.0) return fmt::format("no {} selected: default answer", unit);
  return fmt::format("{:.0f}% of the {}s", 100.0 * e.selected, unit);
}

void abstain_below(Explanation& e, double least) {
  const auto best =
      std::max_element(e.scores.begin(), e.scores.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (best == e.scores.end() || best->second >= least) return;
  e.abstained = fmt::format("{} has {:.1f}%, less than {:g}%", best->first, 100.0 * best->second,
                            100.0 * least);
  e.label.clear();
}

std::string unknown_words(const ExplainedText& e) {
  std::string out;
  for (const ExplainedText::Word& word : e.words) {
    if (word.unknown) out += (out.empty() ? "" : " ") + std::string(word.token.in(e.text));
  }
  return out;
}

std::string value_text(const Explanation& e) {
  if (!e.abstained.empty()) return "no answer: " + printable(e.abstained);
  if (!e.values.empty()) {
    std::string out;
    for (const auto& [name, value] : e.values) {
      out += fmt::format("{}{} {:.3g}", out.empty() ? "" : ", ", printable(name), value);
    }
    return out;
  }
  if (e.scores.empty()) return fmt::format("{:.3g}", e.value);
  for (const auto& [label, score] : e.scores) {
    if (label == e.label) return fmt::format("{} ({:.0f}%)", label_text(label), 100.0 * score);
  }
  return label_text(e.label);
}

std::string highlighted(const ExplainedText& e, bool colour) {
  std::string out;
  size_t at = 0;
  for (const Token& span : e.rationale) {
    out +=
        printable(std::string_view(e.text).substr(at, static_cast<size_t>(span.byte_start) - at));
    out += colour ? "\x1b[30;43m" : "[";
    out += printable(span.in(e.text));
    out += colour ? "\x1b[0m" : "]";
    at = static_cast<size_t>(span.byte_end);
  }
  return out + printable(std::string_view(e.text).substr(at));
}

}  // namespace hardkuma
