#include "hardkuma/train/settings_by_data.h"

#include <algorithm>
#include <cmath>

namespace hardkuma {
namespace {

constexpr double kTexts = 5000.0;  // with which the other numbers were found
constexpr double kEpochs = 25.0;
constexpr int64_t kLeastEpochs = 5;
constexpr int64_t kMostEpochs = 50;
constexpr int64_t kBatch = 16;

// How often a word occurs where words are rare, and where they are not; and the settings there.
constexpr double kRare = 60.0;
constexpr double kOften = 250.0;
constexpr double kDropout[] = {0.5, 0.25};
constexpr double kLearningRate[] = {1e-3, 3e-3};
constexpr double kWeightDecay[] = {1e-3, 1e-5};

// To three digits, as people write settings.
double round_setting(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
  return std::round(value / unit) * unit;
}

double between(const double (&ends)[2], double part) {
  return round_setting(ends[0] * std::pow(ends[1] / ends[0], part));
}

}  // namespace

void choose_settings(Config& config, const DataSize& size) {
  Config::Train& train = config.train;
  const auto words = static_cast<double>(std::max<int64_t>(1, size.vocabulary));
  const double uses = std::max(1.0, static_cast<double>(size.tokens) / words);
  const double often = std::clamp(std::log(uses / kRare) / std::log(kOften / kRare), 0.0, 1.0);
  if (train.epochs == 0) {
    const double ratio = static_cast<double>(std::max<int64_t>(1, size.texts)) / kTexts;
    train.epochs =
        std::clamp<int64_t>(std::llround(kEpochs / std::sqrt(ratio)), kLeastEpochs, kMostEpochs);
  }
  if (train.batch == 0) {
    train.batch = size.texts < 1000      ? kBatch / 2
                  : size.texts < 20'000  ? kBatch
                  : size.texts < 100'000 ? 2 * kBatch
                                         : 4 * kBatch;
  }
  if (train.learning_rate == 0.0) {
    const double by_batch = std::sqrt(static_cast<double>(train.batch) / kBatch);
    train.learning_rate = round_setting(between(kLearningRate, often) * by_batch);
  }
  if (config.model.dropout < 0.0) config.model.dropout = between(kDropout, often);
  if (train.weight_decay < 0.0) train.weight_decay = between(kWeightDecay, often);
}

void keep_choices(const Config& from, Config& to) {
  if (to.train.epochs == 0) to.train.epochs = from.train.epochs;
  if (to.train.batch == 0) to.train.batch = from.train.batch;
  if (to.train.learning_rate == 0.0) to.train.learning_rate = from.train.learning_rate;
  if (to.model.dropout < 0.0) to.model.dropout = from.model.dropout;
  if (to.train.weight_decay < 0.0) to.train.weight_decay = from.train.weight_decay;
}

}  // namespace hardkuma
