#include "hardkuma/train/linear_fit.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "hardkuma/common/random.h"
#include "hardkuma/data/letter_runs.h"

namespace hardkuma {
namespace {

constexpr size_t kFolds = 5;
constexpr size_t kNoFold = kFolds;
constexpr int kMostEpochs = 30;
constexpr int kPatience = 2;
// A linear model that explains little of the labels weighs little beside the network.
constexpr double kMostShare = 0.5;
constexpr double kNoGain = 0.05;
constexpr double kFullGain = 0.2;
constexpr float kRate = 0.03f;
constexpr float kStart = 0.1f;  // of the sums of squared gradients, so that first steps are small

class Fitter {
 public:
  Fitter(const std::vector<Example>& train, const Vocabulary& vocabulary, const Config& config)
      : train_(train),
        words_(static_cast<size_t>(vocabulary.size())),
        outputs_(static_cast<size_t>(config.task.outputs())),
        regression_(config.task.regression),
        key_(RandomKey(0).with(kInitStream)) {
    find_features(vocabulary);
    weigh_features();
  }

  // How much less than answering the same of every text the loss on left-out texts is, as a share.
  double gain() const {
    const double least = target_entropy();  // of values; no prediction has a lower loss
    return (constant_loss() - lowest_) / std::max(1e-6, constant_loss() - least);
  }

  // Fitted to the texts not in `fold`, for `epochs` passes; 0: until the loss on the fold rises.
  // Sets `epochs` to the number of passes.
  LinearWeights fit(size_t fold, int& epochs) {
    std::vector<size_t> texts;
    for (size_t i = 0; i < train_.size(); ++i) {
      if (i % kFolds != fold) texts.push_back(i);
    }
    theta_.assign(features_ * outputs_, 0.0f);
    squares_.assign(features_ * outputs_, kStart);
    bias_.assign(outputs_, 0.0f);
    bias_squares_.assign(outputs_, kStart);
    const int most = epochs > 0 ? epochs : kMostEpochs;
    const bool searching = epochs == 0;
    LinearWeights best;
    for (int epoch = 1; epoch <= most; ++epoch) {
      for (const int64_t i : shuffled_indices(static_cast<int64_t>(texts.size()),
                                              key_.with(static_cast<uint64_t>(epoch)))) {
        learn(train_[texts[static_cast<size_t>(i)]]);
      }
      if (!searching) continue;
      const double now = loss(fold);
      if (now < lowest_) {
        lowest_ = now;
        epochs = epoch;
        best = weights();
      } else if (epoch >= epochs + kPatience) {
        break;
      }
    }
    return searching ? best : weights();
  }

 private:
  void find_features(const Vocabulary& vocabulary) {
    std::unordered_map<std::string, int32_t> numbers;
    features_ = words_;
    of_word_.resize(words_);
    for (size_t w = 0; w < words_; ++w) {
      if (vocabulary.is_unknown(static_cast<int32_t>(w))) continue;
      of_word_[w].push_back(static_cast<int32_t>(w));
      for (std::string& run : letter_runs(vocabulary.word(static_cast<int32_t>(w)))) {
        const auto [at, made] = numbers.emplace(std::move(run), static_cast<int32_t>(features_));
        if (made) ++features_;
        of_word_[w].push_back(at->second);
      }
    }
  }

  // Inverse document frequencies, divided by the root of the mean number of features of a word.
  // Features of a single text have no weight.
  void weigh_features() {
    std::vector<int32_t> texts(features_, 0);
    std::vector<size_t> last(features_, std::numeric_limits<size_t>::max());
    double tokens = 0.0;
    double uses = 0.0;
    for (size_t i = 0; i < train_.size(); ++i) {
      for (const int32_t word : train_[i].words) {
        const std::vector<int32_t>& own = of_word_[static_cast<size_t>(word)];
        tokens += 1.0;
        uses += static_cast<double>(own.size());
        for (const int32_t f : own) {
          if (last[static_cast<size_t>(f)] == i) continue;
          last[static_cast<size_t>(f)] = i;
          ++texts[static_cast<size_t>(f)];
        }
      }
    }
    const double mean = std::sqrt(std::max(1.0, uses / std::max(1.0, tokens)));
    const double all = 1.0 + static_cast<double>(train_.size());
    scale_.assign(features_, 0.0f);
    for (size_t f = 0; f < features_; ++f) {
      if (texts[f] < 2) continue;
      scale_[f] = static_cast<float>((1.0 + std::log(all / (1.0 + texts[f]))) / mean);
    }
    for (std::vector<int32_t>& own : of_word_) {
      own.erase(std::remove_if(own.begin(), own.end(),
                               [&](int32_t f) { return scale_[static_cast<size_t>(f)] == 0.0f; }),
                own.end());
    }
  }

  static float shrink(const Example& example) {
    return 1.0f / std::sqrt(static_cast<float>(std::max<size_t>(1, example.words.size())));
  }

  std::vector<float> probabilities(const Example& example) const {
    std::vector<float> logits(outputs_, 0.0f);
    for (const int32_t word : example.words) {
      for (const int32_t f : of_word_[static_cast<size_t>(word)]) {
        const float* theta = &theta_[static_cast<size_t>(f) * outputs_];
        const float value = scale_[static_cast<size_t>(f)];
        for (size_t k = 0; k < outputs_; ++k) logits[k] += value * theta[k];
      }
    }
    const float by = shrink(example);
    for (size_t k = 0; k < outputs_; ++k) logits[k] = logits[k] * by + bias_[k];
    if (regression_) {
      for (float& value : logits) value = 1.0f / (1.0f + std::exp(-value));
      return logits;
    }
    const float most = *std::max_element(logits.begin(), logits.end());
    float sum = 0.0f;
    for (float& value : logits) sum += value = std::exp(value - most);
    for (float& value : logits) value /= sum;
    return logits;
  }

  float wanted(const Example& example, size_t k) const {
    if (regression_) return static_cast<float>(example.value(k));
    return static_cast<size_t>(example.target) == k ? 1.0f : 0.0f;
  }

  void learn(const Example& example) {
    std::vector<float> slope = probabilities(example);
    for (size_t k = 0; k < outputs_; ++k) {
      slope[k] -= wanted(example, k);
      bias_squares_[k] += slope[k] * slope[k];
      bias_[k] -= kRate * slope[k] / std::sqrt(bias_squares_[k]);
    }
    const float by = shrink(example);
    for (const int32_t word : example.words) {
      for (const int32_t f : of_word_[static_cast<size_t>(word)]) {
        float* theta = &theta_[static_cast<size_t>(f) * outputs_];
        float* squares = &squares_[static_cast<size_t>(f) * outputs_];
        const float value = scale_[static_cast<size_t>(f)] * by;
        for (size_t k = 0; k < outputs_; ++k) {
          const float gradient = value * slope[k];
          squares[k] += gradient * gradient;
          theta[k] -= kRate * gradient / std::sqrt(squares[k]);
        }
      }
    }
  }

  double loss(size_t fold) const {
    double sum = 0.0;
    for (size_t i = fold; i < train_.size(); i += kFolds) {
      const std::vector<float> p = probabilities(train_[i]);
      for (size_t k = 0; k < outputs_; ++k) {
        const double y = static_cast<double>(wanted(train_[i], k));
        const auto log_of = [](float x) { return std::log(std::max(x, 1e-12f)); };
        sum -= y * static_cast<double>(log_of(p[k]));
        if (regression_) sum -= (1.0 - y) * static_cast<double>(log_of(1.0f - p[k]));
      }
    }
    const size_t texts = (train_.size() + kFolds - 1 - fold) / kFolds;
    return sum / static_cast<double>(std::max<size_t>(1, texts));
  }

  // The loss of the mean target.
  double constant_loss() const {
    double sum = 0.0;
    for (size_t k = 0; k < outputs_; ++k) {
      double mean = 0.0;
      for (const Example& example : train_) mean += static_cast<double>(wanted(example, k));
      mean /= static_cast<double>(train_.size());
      if (mean > 0.0) sum -= mean * std::log(mean);
      if (regression_ && mean < 1.0) sum -= (1.0 - mean) * std::log(1.0 - mean);
    }
    return std::max(sum, 1e-6);
  }

  double target_entropy() const {
    if (!regression_) return 0.0;
    double sum = 0.0;
    for (const Example& example : train_) {
      for (size_t k = 0; k < outputs_; ++k) {
        const double y = std::clamp(static_cast<double>(wanted(example, k)), 1e-9, 1.0 - 1e-9);
        sum -= y * std::log(y) + (1.0 - y) * std::log(1.0 - y);
      }
    }
    return sum / static_cast<double>(train_.size());
  }

  LinearWeights weights() const {
    const auto v = static_cast<int64_t>(words_);
    const auto c = static_cast<int64_t>(outputs_);
    LinearWeights out{at::zeros({v, c}), at::zeros({c})};
    auto* weight = out.weight.data_ptr<float>();
    for (size_t w = 0; w < words_; ++w) {
      for (const int32_t f : of_word_[w]) {
        for (size_t k = 0; k < outputs_; ++k) {
          weight[w * outputs_ + k] +=
              scale_[static_cast<size_t>(f)] * theta_[static_cast<size_t>(f) * outputs_ + k];
        }
      }
    }
    std::copy(bias_.begin(), bias_.end(), out.bias.data_ptr<float>());
    return out;
  }

  const std::vector<Example>& train_;
  size_t words_;
  size_t outputs_;
  bool regression_;
  RandomKey key_;
  double lowest_ = std::numeric_limits<double>::infinity();  // loss on the fold of a search
  size_t features_ = 0;                                      // the words, then the runs of letters
  std::vector<std::vector<int32_t>> of_word_;                // each word's features
  std::vector<float> scale_;                                 // of each feature
  std::vector<float> theta_;                                 // [features, outputs]
  std::vector<float> squares_;
  std::vector<float> bias_;
  std::vector<float> bias_squares_;
};

}  // namespace

LinearFit fit_linear_part(const std::vector<Example>& train, const Vocabulary& vocabulary,
                          const Config& config) {
  Fitter fitter(train, vocabulary, config);
  LinearFit out;
  int epochs = 0;
  out.folds.push_back(fitter.fit(0, epochs));
  out.share = kMostShare * std::clamp((fitter.gain() - kNoGain) / (kFullGain - kNoGain), 0.0, 1.0);
  for (size_t fold = 1; fold < kFolds; ++fold) out.folds.push_back(fitter.fit(fold, epochs));
  out.all = fitter.fit(kNoFold, epochs);
  return out;
}

}  // namespace hardkuma
