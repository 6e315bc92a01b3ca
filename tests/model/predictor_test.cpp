#include "hardkuma/model/predictor.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "hardkuma/model/make_model.h"
#include "hardkuma/nn/threads.h"

namespace hardkuma {
namespace {

// Texts of which each has words of its own.
std::vector<Example> texts(int count) {
  std::vector<Example> out(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    for (int t = 0; t < 6; ++t) out[static_cast<size_t>(i)].words.push_back(1 + (5 * i + t) % 200);
  }
  return out;
}

// With room for a few words, so that threads make each other forget theirs, and for all of them.
TEST(Predictor, ThreadsThatShareAFewWordsGetWhatOneGets) {
  Config config;
  config.model.hidden = 8;
  config.task.labels = {"no", "yes"};
  const auto model = make_model(config, at::randn({201, 6}));
  const std::vector<Example> set = texts(60);
  const auto workers = tensor_workers(1);
  const auto expected = Predictor(*model).predict(set, *workers);
  for (const int64_t bytes : {int64_t{4000}, int64_t{20000}, int64_t{1} << 24}) {
    Predictor predictor(*model, bytes);
    std::vector<std::thread> threads;
    std::vector<double> furthest(4);
    for (size_t t = 0; t < furthest.size(); ++t) {
      threads.emplace_back([&, t] {
        const auto alone = tensor_workers(1);
        for (size_t i = 0; i < set.size(); ++i) {
          const size_t which = (i + 13 * t) % set.size();
          const auto one = predictor.predict({set[which]}, *alone);
          for (size_t k = 0; k < one[0].scores.size(); ++k) {
            const double off = std::abs(one[0].scores[k] - expected[which].scores[k]);
            furthest[t] = std::max(furthest[t], off);
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const double off : furthest) EXPECT_LT(off, 1e-5) << bytes;
  }
}

}  // namespace
}  // namespace hardkuma
