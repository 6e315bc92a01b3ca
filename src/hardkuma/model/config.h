#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "hardkuma/data/labels.h"
#include "hardkuma/model/kinds.h"

namespace hardkuma {

/// Every setting, with its default. The text beside a member in settings.cpp's table is what
/// `--help`, the docs and error messages show.
struct Config {
  struct Data {
    std::string text;
    std::string second;
    std::string label;
    std::string gold;
    std::string aspect;
    std::string binarise;
    TaskChoice task = TaskChoice::Auto;
    Tokenizer tokenizer = Tokenizer::Words;
    bool letters = false;
    bool lower_case = false;
    int64_t min_count = 2;
    std::string vectors;
    int64_t extra_vectors = 50000;
    bool normalise = false;
    int64_t unknown_classes = 0;
    int64_t max_tokens = 20000;
    bool truncate = false;
    int64_t train_tokens = 0;
    double dev_fraction = 0.1;
    double test_fraction = 0.1;
  } data;

  struct Model {
    ModelKind kind = ModelKind::HardKuma;
    EncoderKind encoder = EncoderKind::Lstm;
    ReadingRule reading =
        ReadingRule::Published;  // this and the next two: of models that name none
    bool linear = false;
    double floor = 0.0;
    bool dependent = false;
    int64_t hidden = 64;
    int64_t embedding = 64;
    bool train_vectors = false;
    double dropout = 0.2;
    Decision decision = Decision::Binary;
    double threshold = 0.0;
    double temperature = 1.0;
    bool shared = false;
    int64_t selectors = 1;
    Likelihood likelihood = Likelihood::Squared;
    int64_t ngrams = 2;
    Links links = Links::Softmax;
    Shapes shapes = Shapes::Bias;
    bool intra = false;
  } model;

  struct Objective {
    double target = 0.15;
    Share share = Share::OfUnits;
    double run_length = 0.0;
    double lasso = 0.0;
    int64_t samples = 1;
    Baseline baseline = Baseline::Running;
    double entropy = 0.0;
    double match = 0.0;
  } objective;

  struct Controller {
    ControllerKind name = ControllerKind::Default;
    double rho = 0.2;
    double eta = 0.5;
    double alpha = 0.5;
    double bound = 2.0;
    double warmup = 0.35;
    int64_t patience = 2;
    double descent = 0.3;
    double settle = 0.0;
    Descent schedule = Descent::Achieved;
    double edge = 0.1;
    bool one_sided = false;
    bool corrected = true;
    bool scaled = true;
    double paper_alpha = 0.99;
    double paper_eta = 0.01;
    double lambda = 1e-4;
    double lambda_min = 1e-12;
    double lambda_max = 1e12;
    double lasso_weight = 0.0;
    double word_cost = 2e-4;
    double change_cost = 4e-4;
  } controller;

  struct Train {
    int64_t epochs = 30;
    int64_t batch = 16;
    double learning_rate = 4e-3;
    Balance balance = Balance::None;
    double weight_decay = 1e-6;
    double clip = 5.0;
    RateSchedule schedule = RateSchedule::None;
    double decay = 0.5;
    int64_t patience = 2;
    std::string milestones;
    double min_learning_rate = 1e-5;
    double tolerance = 0.01;
    bool calibrate = true;
    bool temperature = true;
    PredictorRate predictor_rate = PredictorRate::Full;
    int64_t seed = 1;
    std::string start;
    int64_t workers = 0;
    bool full_text = false;
    double svm_cost = 0.0;
    bool tf32 = false;
  } train;

  TaskInfo task;
};

/// When a setting has an effect.
struct Condition {
  const char* where;  ///< "with model.kind = svm"
  bool (*holds)(const Config&);
};

/// A member that holds one of several names.
struct NamedChoice {
  std::vector<std::string> names;
  std::function<size_t()> get;  ///< index into `names`
  std::function<void(size_t)> set;
};

/// One row of the settings table.
struct Setting {
  std::string name;  ///< "train.epochs"
  std::string help;
  std::variant<bool*, int64_t*, double*, std::string*, NamedChoice> value;
  const Condition* condition;
  bool found_by_training = false;

  bool acts(const Config& config) const { return condition->holds(config); }
};

/// The settings table of one Config, which must outlive it.
std::vector<Setting> settings(Config& config);

/// A setting's value as TOML.
std::string setting_text(const Setting& setting);

/// The names in the settings table.
std::string name_of(ModelKind kind);
std::string name_of(EncoderKind kind);
std::string name_of(ControllerKind kind);

/// "10,15" as epochs; InputError for anything else.
std::vector<int64_t> parse_milestones(std::string_view text);

/// "0.4,0.6" as two numbers; InputError for anything else.
std::pair<double, double> parse_thresholds(std::string_view text);

/// Does the model read pairs of texts?
bool reads_pairs(const Config& config);

/// Does the model select words? Does it do so by gates, whose rate training controls?
bool selects_words(const Config& config);
bool has_gates(const Config& config);

/// Does the loss count selected words and changes (equation 4) instead of expecting them?
bool counts_selected(const Config& config);

/// Does training find a threshold on P(z ≠ 0)? Not with fixed weights, which have no target, and
/// not with the paper's decision rule or controller, which stay as published.
bool finds_threshold(const Config& config);

/// "15%" or "0.15" as 0.15; InputError naming `where` for what is not a number.
double parse_rate(const std::string& text, const std::string& where);

/// A setting that was given, and where: "beer.toml:7", "--set", …
struct GivenSetting {
  std::string name;
  std::string where;
};

/// Sets one value from its text. Throws InputError, with a suggestion for an unknown name.
void set_config(Config& config, const std::string& name, const std::string& text,
                const std::string& where);

/// Overlays TOML on the config; `path` is for messages. Unknown keys and broken UTF-8 are errors.
/// Also reads `[task]`, which a model directory's file has. Returns the settings that were given.
std::vector<GivenSetting> overlay_toml(Config& config, const std::string& toml,
                                       const std::string& path);

/// All settings with their comments, as TOML; with `[task]` once it is known.
std::string to_toml(const Config& config);

/// Throws InputError if values do not fit together or are out of range.
void validate(const Config& config);

}  // namespace hardkuma
