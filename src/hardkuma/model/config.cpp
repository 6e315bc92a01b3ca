#include "hardkuma/model/config.h"

#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/common/workers.h"

namespace hardkuma {
namespace {

constexpr int64_t kMostEpochs = 1000000;

std::vector<std::string> names_of(const std::vector<Setting>& table) {
  std::vector<std::string> names;
  for (const Setting& setting : table) names.push_back(setting.name);
  return names;
}

const Setting& find_setting(const std::vector<Setting>& table, const std::string& name,
                            const std::string& where) {
  for (const Setting& setting : table) {
    if (setting.name == name) return setting;
  }
  throw InputError("{}: unknown key \"{}\"{}", where, name, did_you_mean(name, names_of(table)));
}

void choose(const Setting& setting, const std::string& value, const std::string& where) {
  const auto& choice = std::get<NamedChoice>(setting.value);
  const auto found = std::find(choice.names.begin(), choice.names.end(), value);
  if (found == choice.names.end()) {
    throw InputError("{}: {} cannot be \"{}\"{}; there are: {}", where, setting.name, value,
                     did_you_mean(value, choice.names), fmt::join(choice.names, ", "));
  }
  choice.set(static_cast<size_t>(found - choice.names.begin()));
}

void assign_toml(const Setting& setting, const toml::node& node, const std::string& where) {
  const auto wrong = [&](const char* type) {
    return InputError("{}: {} must be {}", where, setting.name, type);
  };
  if (auto* const* flag = std::get_if<bool*>(&setting.value)) {
    const std::string text = node.value_or(std::string());
    if (setting.name == "train.calibrate" &&
        (text == "words" || text == "texts" || text == "none")) {
      **flag = text != "none";  // format of older models
      return;
    }
    if (!node.is_boolean()) throw wrong("true or false");
    **flag = node.value<bool>().value();
  } else if (auto* const* integer = std::get_if<int64_t*>(&setting.value)) {
    if (!node.is_integer()) throw wrong("a whole number");
    **integer = node.value<int64_t>().value();
  } else if (auto* const* number = std::get_if<double*>(&setting.value)) {
    if (node.is_string()) {
      **number = parse_rate(node.value<std::string>().value(), where);
    } else if (node.is_number()) {
      **number = node.value<double>().value();
    } else {
      throw wrong("a number");
    }
  } else if (setting.name == "objective.baseline" && node.is_boolean()) {
    // Older models saved a boolean.
    choose(setting, node.value<bool>().value() ? "running" : "none", where);
  } else if (!node.is_string()) {
    throw wrong("a string");
  } else if (auto* const* text = std::get_if<std::string*>(&setting.value)) {
    **text = node.value<std::string>().value();
  } else {
    choose(setting, node.value<std::string>().value(), where);
  }
}

// The line of the text that contains the byte, from 1.
int64_t line_of(const std::string& text, size_t byte) {
  return 1 + std::count(text.begin(), text.begin() + static_cast<long>(byte), '\n');
}

void read_task(TaskInfo& task, const toml::table& table, const std::string& where) {
  task.regression = table["type"].value_or<std::string>("") == "regression";
  task.low = table["low"].value_or(0.0);
  task.high = table["high"].value_or(1.0);
  task.labels.clear();
  if (const toml::array* labels = table["labels"].as_array()) {
    for (const toml::node& label : *labels) task.labels.push_back(label.value_or<std::string>(""));
  }
  if (task.regression && !(task.low < task.high)) {
    throw InputError("{}: [task] low must be below high", where);
  }
  if (!task.regression && task.labels.size() < 2) {
    throw InputError("{}: [task] must list at least two labels", where);
  }
}

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// toml++ writes text with newlines as a multi-line string, which loses a first newline in TOML.
std::string toml_text(const std::string& text) {
  std::ostringstream out;
  if (!has_control(text)) {
    out << toml::value<std::string>(text);
    return out.str();
  }
  out << '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out << fmt::format("\\u{:04X}", byte);
    } else {
      out << (c == '"' || c == '\\' ? "\\" : "") << c;
    }
  }
  out << '"';
  return out.str();
}

std::string toml_text(const std::vector<std::string>& texts) {
  if (std::none_of(texts.begin(), texts.end(), has_control)) {
    toml::array array;
    for (const std::string& text : texts) array.push_back(text);
    std::ostringstream out;
    out << array;
    return out.str();
  }
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "[ " : ", ") + toml_text(text);
  return out + " ]";
}

void require(bool condition, const std::string& name, const std::string& rule) {
  if (!condition) throw InputError("setting {} must be {}", name, rule);
}

}  // namespace

std::string setting_text(const Setting& setting) {
  struct Printer {
    std::string operator()(const bool* v) const { return *v ? "true" : "false"; }
    std::string operator()(const int64_t* v) const { return std::to_string(*v); }
    std::string operator()(const double* v) const {
      std::string text = fmt::format("{}", *v);
      const bool plain = text.find_first_of(".en") == std::string::npos;
      return plain ? text + ".0" : text;
    }
    std::string operator()(const std::string* v) const { return toml_text(*v); }
    std::string operator()(const NamedChoice& v) const { return "\"" + v.names[v.get()] + "\""; }
  };
  return std::visit(Printer{}, setting.value);
}

std::pair<double, double> parse_thresholds(std::string_view text) {
  const size_t comma = std::min(text.find(','), text.size());
  double low = 0.0;
  double high = 0.0;
  if (comma == text.size() || !parse_number(text.substr(0, comma), low) ||
      !parse_number(text.substr(comma + 1), high) || low >= high) {
    throw InputError("setting data.binarise must be two numbers like \"0.4,0.6\", got \"{}\"",
                     quotable(text));
  }
  return {low, high};
}

bool reads_pairs(const Config& config) {
  const ModelKind kind = config.model.kind;
  return kind == ModelKind::PairAttention || kind == ModelKind::PairHardKuma ||
         kind == ModelKind::PairLstm;
}

bool selects_words(const Config& config) {
  return has_gates(config) || config.model.kind == ModelKind::Attention;
}

bool has_gates(const Config& config) {
  return gate_of(config.model.kind) || config.model.kind == ModelKind::PairHardKuma;
}

bool counts_selected(const Config& config) {
  return config.model.kind == ModelKind::Bernoulli &&
         config.controller.name == ControllerKind::Fixed;
}

bool finds_threshold(const Config& config) {
  return has_gates(config) && config.controller.name == ControllerKind::Default &&
         config.model.decision == Decision::Binary;
}

std::vector<int64_t> parse_milestones(std::string_view text) {
  std::vector<int64_t> out;
  while (!trim(text).empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    double value = 0.0;
    if (!parse_number(text.substr(0, comma), value) || value < 1 || value > kMostEpochs ||
        value != std::floor(value)) {
      throw InputError("setting train.milestones must be epochs like \"10,15\", got \"{}\"",
                       quotable(text));
    }
    out.push_back(static_cast<int64_t>(value));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

double parse_rate(const std::string& text, const std::string& where) {
  std::string_view digits = trim(text);
  const bool percent = !digits.empty() && digits.back() == '%';
  if (percent) digits.remove_suffix(1);
  double value = 0.0;
  if (!parse_number(digits, value))
    throw InputError("{}: \"{}\" is not a number", where, quotable(text));
  return percent ? value / 100.0 : value;
}

void set_config(Config& config, const std::string& name, const std::string& text,
                const std::string& where) {
  const std::vector<Setting> table = settings(config);
  const Setting& setting = find_setting(table, name, where);
  if (auto* const* flag = std::get_if<bool*>(&setting.value)) {
    if (text != "true" && text != "false")
      throw InputError("{}: {} must be true or false", where, name);
    **flag = text == "true";
  } else if (auto* const* integer = std::get_if<int64_t*>(&setting.value)) {
    double value = 0.0;
    if (!parse_number(text, value) || value != std::floor(value) || std::abs(value) > 9e15) {
      throw InputError("{}: {} must be a whole number, got \"{}\"", where, name, quotable(text));
    }
    **integer = static_cast<int64_t>(value);
  } else if (auto* const* number = std::get_if<double*>(&setting.value)) {
    **number = parse_rate(text, fmt::format("{}: {}", where, name));
  } else if (auto* const* words = std::get_if<std::string*>(&setting.value)) {
    if (invalid_utf8(text) != std::string::npos) {
      throw InputError("{}: {} is not UTF-8: {}; rename the file", where, name,
                       storable_name(text));
    }
    **words = text;
  } else {
    choose(setting, text, where);
  }
}

std::vector<GivenSetting> overlay_toml(Config& config, const std::string& text,
                                       const std::string& path) {
  // The behaviour of toml++ on broken UTF-8 is undefined.
  const size_t bad = invalid_utf8(text);
  if (bad != std::string::npos) {
    throw InputError("{}:{}: broken UTF-8; save the file as UTF-8", path, line_of(text, bad));
  }
  std::vector<GivenSetting> given;
  toml::table table;
  try {
    table = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw InputError("{}:{}: {}", path, error.source().begin.line,
                     std::string(error.description()));
  }
  const std::vector<Setting> known = settings(config);
  for (const auto& [section, node] : table) {
    const std::string name(section.str());
    const std::string where = fmt::format("{}:{}", path, node.source().begin.line);
    if (!node.is_table())
      throw InputError("{}: key \"{}\" stands outside a [section]", where, name);
    if (name == "task") {
      read_task(config.task, *node.as_table(), where);
      continue;
    }
    for (const auto& [key, value] : *node.as_table()) {
      const std::string at = fmt::format("{}:{}", path, value.source().begin.line);
      const std::string setting_name = fmt::format("{}.{}", name, std::string(key.str()));
      const Setting& setting = find_setting(known, setting_name, at);
      assign_toml(setting, value, at);
      if (!setting.found_by_training) given.push_back({setting.name, at});
    }
  }
  return given;
}

std::string to_toml(const Config& config) {
  Config copy = config;
  std::string out;
  std::string section;
  for (const Setting& setting : settings(copy)) {
    const size_t dot = setting.name.find('.');
    if (setting.name.substr(0, dot) != section) {
      section = setting.name.substr(0, dot);
      out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", section);
    }
    out += fmt::format("# {}\n{} = {}\n", setting.help, setting.name.substr(dot + 1),
                       setting_text(setting));
  }
  const TaskInfo& task = config.task;
  if (!task.regression && task.labels.empty()) return out;
  out +=
      fmt::format("\n[task]\ntype = \"{}\"\n", task.regression ? "regression" : "classification");
  if (task.regression) {
    out += fmt::format("low = {}\nhigh = {}\n", task.low, task.high);
  }
  if (!task.labels.empty()) {
    out += "labels = " + toml_text(task.labels) + "\n";
  }
  return out;
}

void validate(const Config& c) {
  require(c.data.min_count >= 1, "data.min_count", "at least 1");
  require(c.data.extra_vectors >= 0, "data.extra_vectors", "0 or more");
  require(c.data.train_tokens >= 0, "data.train_tokens", "0 or more");
  if (!c.data.binarise.empty()) parse_thresholds(c.data.binarise);
  require(c.data.max_tokens >= 1, "data.max_tokens", "at least 1");
  require(c.data.dev_fraction > 0 && c.data.dev_fraction < 1, "data.dev_fraction",
          "between 0 and 1");
  require(c.data.test_fraction >= 0 && c.data.dev_fraction + c.data.test_fraction < 1,
          "data.test_fraction", "0 or more, and leave something to train on");
  require(c.model.hidden >= 1 && c.model.hidden <= 8192, "model.hidden", "between 1 and 8192");
  require(c.model.embedding >= 1 && c.model.embedding <= 8192, "model.embedding",
          "between 1 and 8192");
  require(c.model.dropout == -1 || (c.model.dropout >= 0 && c.model.dropout < 1), "model.dropout",
          "in [0, 1), or -1");
  require(c.model.threshold >= 0 && c.model.threshold <= 2, "model.threshold",
          "in [0, 2]; above 1 nothing is selected");
  require(c.model.selectors >= 1 && c.model.selectors <= 8, "model.selectors", "between 1 and 8");
  require(c.model.selectors == 1 || c.model.kind != ModelKind::Bernoulli, "model.selectors",
          "1 with bernoulli: REINFORCE learns of one");
  require(c.model.selectors == 1 || !c.model.shared, "model.selectors", "1 with model.shared");
  require(c.model.ngrams >= 1 && c.model.ngrams <= 5, "model.ngrams", "between 1 and 5");
  require(c.train.svm_cost >= 0, "train.svm_cost", "0 or more");
  if (c.objective.target >= 2 && c.objective.target <= 100) {
    throw InputError("the target is a share: did you mean {}%?", c.objective.target);
  }
  require(c.objective.target > 0 && c.objective.target <= 1, "objective.target",
          "above 0% and at most 100%");
  require(c.objective.run_length >= 0, "objective.run_length", "0 or more");
  require(c.objective.lasso >= 0 && c.objective.lasso <= 1, "objective.lasso", "in [0, 1]");
  require(c.objective.samples >= 1 && c.objective.samples <= 64, "objective.samples",
          "between 1 and 64");
  require(c.objective.entropy >= 0, "objective.entropy", "0 or more");
  require(c.model.temperature > 0 && c.model.temperature <= 100, "model.temperature",
          "above 0, at most 100");
  require(c.model.floor >= 0 && c.model.floor < 1, "model.floor", "in [0, 1)");
  require(c.objective.match >= 0, "objective.match", "0 or more");
  require(c.objective.baseline != Baseline::Others || c.objective.samples > 1, "objective.samples",
          "at least 2 for objective.baseline \"others\"");
  require(c.controller.alpha >= 0 && c.controller.alpha < 1, "controller.alpha", "in [0, 1)");
  require(c.controller.paper_alpha >= 0 && c.controller.paper_alpha < 1, "controller.paper_alpha",
          "in [0, 1)");
  require(c.controller.rho >= 0, "controller.rho", "0 or more");
  require(c.controller.bound > 0, "controller.bound", "above 0");
  require(c.controller.edge >= 1e-3 && c.controller.edge <= 1, "controller.edge",
          "between 0.001 and 1");
  require(c.controller.paper_eta >= 0, "controller.paper_eta", "0 or more");
  require(c.controller.lambda >= 0, "controller.lambda", "0 or more");
  require(c.controller.eta >= 0, "controller.eta", "0 or more");
  require(c.controller.warmup >= 0 && c.controller.descent >= 0 && c.controller.settle >= 0 &&
              c.controller.warmup + c.controller.descent + c.controller.settle <= 1,
          "controller.warmup",
          "0 or more, and with controller.descent and controller.settle at most 1");
  require(c.controller.patience >= 0, "controller.patience", "0 or more");
  require(c.controller.lasso_weight >= 0, "controller.lasso_weight", "0 or more");
  require(c.controller.word_cost >= 0, "controller.word_cost", "0 or more");
  require(c.controller.change_cost >= 0, "controller.change_cost", "0 or more");
  require(c.controller.lambda_min > 0 && c.controller.lambda_min <= c.controller.lambda_max,
          "controller.lambda_min", "above 0 and at most controller.lambda_max");
  require(c.data.unknown_classes >= 0 && c.data.unknown_classes <= 10000, "data.unknown_classes",
          "between 0 and 10000");
  require(c.train.epochs >= 0 && c.train.epochs <= kMostEpochs, "train.epochs",
          "between 0 and 1000000");
  require(c.train.batch >= 0 && c.train.batch <= 1 << 20, "train.batch", "between 0 and 1048576");
  require(c.train.learning_rate >= 0, "train.learning_rate", "0 or more");
  require(c.train.weight_decay == -1 || c.train.weight_decay >= 0, "train.weight_decay",
          "0 or more, or -1");
  require(c.train.clip > 0, "train.clip", "above 0");
  require(c.train.decay > 0 && c.train.decay <= 1, "train.decay", "in (0, 1]");
  require(c.train.patience >= 0, "train.patience", "0 or more");
  require(c.train.min_learning_rate >= 0, "train.min_learning_rate", "0 or more");
  parse_milestones(c.train.milestones);
  require(c.train.tolerance > 0, "train.tolerance", "above 0");
  require(c.train.seed >= 0, "train.seed", "0 or more");
  require(c.train.workers >= 0 && c.train.workers <= kMostWorkers, "train.workers",
          "between 0 and 256");
}

}  // namespace hardkuma
