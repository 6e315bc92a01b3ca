#include "hardkuma/data/tasting_notes.h"

#include <gtest/gtest.h>

#include "hardkuma/data/make_example.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "hardkuma/common/error.h"
#include "hardkuma/data/dataset.h"
#include "hardkuma/data/tokenizer.h"

namespace hardkuma {
namespace {

TEST(TastingNotes, AreTheSameForTheSameSeed) {
  const auto a = tasting_notes({.count = 20, .seed = 3});
  const auto b = tasting_notes({.count = 20, .seed = 3});
  const auto c = tasting_notes({.count = 20, .seed = 4});
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(to_jsonl(a[i]), to_jsonl(b[i]));
  EXPECT_NE(a[0].text, c[0].text);
}

TEST(TastingNotes, ComparisonsRateNothing) {
  const auto plain = tasting_notes({.count = 50, .seed = 3});
  const auto compared = tasting_notes({.count = 50, .seed = 3, .comparisons = 2});
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_GT(compared[i].text.size(), plain[i].text.size());
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(compared[i].aspects[k].score, plain[i].aspects[k].score);
      const auto said = [&](const TastingNote& note) {
        const CharSpan span = note.aspects[k].spans.at(0);
        return note.text.substr(static_cast<size_t>(span.start),
                                static_cast<size_t>(span.end - span.start));
      };
      EXPECT_EQ(said(compared[i]), said(plain[i]));
    }
  }
}

TEST(TastingNotes, GoldCoversAboutAFifthAndScoresAreInRange) {
  std::array<double, 3> gold{};
  double words = 0;
  for (const TastingNote& note : tasting_notes({.count = 1000})) {
    const auto tokens = tokenize(note.text, Tokenizer::Words);
    words += static_cast<double>(tokens.size());
    for (size_t k = 0; k < 3; ++k) {
      EXPECT_GE(note.aspects[k].score, 0.0);
      EXPECT_LE(note.aspects[k].score, 1.0);
      for (const uint8_t g : gold_mask(tokens, note.aspects[k].spans)) gold[k] += g;
    }
  }
  for (const double g : gold) {
    EXPECT_GT(g / words, 0.17);
    EXPECT_LT(g / words, 0.23);
  }
}

TEST(TastingNotes, ClassesAreBalancedAndFollowTheCorrelation) {
  const auto agreement = [](double correlation) {
    int good = 0;
    int same = 0;
    const auto notes = tasting_notes({.count = 3000, .seed = 5, .correlation = correlation});
    for (const TastingNote& note : notes) {
      good += note.aspects[0].label == "good";
      same += note.aspects[0].label == note.aspects[1].label;
    }
    EXPECT_NEAR(good / 3000.0, 0.5, 0.05);
    return same / 3000.0;
  };
  EXPECT_NEAR(agreement(0.0), 0.5, 0.04);
  EXPECT_GT(agreement(0.7), 0.62);
  EXPECT_GT(agreement(1.0), 0.8);
}

TEST(TastingNotes, JsonlCarriesEveryAspect) {
  const auto note = tasting_notes({.count = 1})[0];
  const auto json = nlohmann::json::parse(to_jsonl(note));
  for (const char* aspect : kAspects) {
    EXPECT_TRUE(json.contains(aspect));
    EXPECT_TRUE(json.contains(std::string(aspect) + "_score"));
    EXPECT_TRUE(json.contains(std::string(aspect) + "_spans"));
  }
  EXPECT_THROW(tasting_notes({.count = 0}), UsageError);
  EXPECT_THROW(tasting_notes({.correlation = 1.5}), UsageError);
}

// Logistic regression on which words occur, by plain gradient descent; returns test accuracy.
double bag_of_words_accuracy(bool only_gold) {
  const auto train = tasting_notes({.count = 2000, .seed = 11});
  const auto test = tasting_notes({.count = 1000, .seed = 12});
  const auto bag = [&](const TastingNote& note) {
    std::set<std::string> words;
    const auto tokens = tokenize(note.text, Tokenizer::Words);
    const auto mask = gold_mask(tokens, note.aspects[0].spans);
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (!only_gold || mask[i] != 0) words.emplace(tokens[i].in(note.text));
    }
    return words;
  };
  std::map<std::string, double> weight;
  const auto logit = [&](const std::set<std::string>& words) {
    double sum = weight[""];
    for (const std::string& word : words) sum += weight[word];
    return sum;
  };
  for (int epoch = 0; epoch < 12; ++epoch) {
    for (const TastingNote& note : train) {
      const auto words = bag(note);
      const double error =
          (note.aspects[0].label == "good") - 1.0 / (1.0 + std::exp(-logit(words)));
      const double step = 0.1 / (1.0 + epoch);
      weight[""] += step * error;
      for (const std::string& word : words) weight[word] += step * error;
    }
  }
  int right = 0;
  for (const TastingNote& note : test)
    right += (logit(bag(note)) > 0) == (note.aspects[0].label == "good");
  return right / 1000.0;
}

TEST(TastingNotes, CountingWordsOfTheWholeTextIsClearlyWorseThanReadingTheRightSentence) {
  const double whole = bag_of_words_accuracy(false);
  const double gold = bag_of_words_accuracy(true);
  EXPECT_LT(whole, 0.78);
  EXPECT_GT(gold, whole + 0.08);
}

}  // namespace
}  // namespace hardkuma
