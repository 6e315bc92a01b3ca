#include "hardkuma/train/alarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

constexpr double kNothing = 0.001;
constexpr double kEverything = 0.99;
constexpr double kOpen = 0.95;       // expected rate of gates that have not begun to close
constexpr double kNearlyAll = 0.95;  // of the selected words

// The share of the selected words at the k most common positions, where k is the mean number of
// selected words per text.
double share_of_common_places(const std::map<int64_t, int64_t>& places, int64_t selected,
                              size_t texts) {
  std::vector<int64_t> counts;
  for (const auto& [place, count] : places) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  const auto mean = static_cast<double>(selected) / static_cast<double>(texts);
  const auto first = std::min(counts.size(), static_cast<size_t>(std::ceil(mean)));
  const int64_t sum =
      std::accumulate(counts.begin(), counts.begin() + static_cast<long>(first), int64_t{0});
  return static_cast<double>(sum) / static_cast<double>(selected);
}

}  // namespace

Degeneration degeneration(const std::vector<Example>& set,
                          const std::vector<ExamplePrediction>& predictions) {
  int64_t words = 0;  // or cells
  int64_t selected = 0;
  int64_t punctuation = 0;
  double expected = 0.0;  // a threshold selects words even if all gates are closed
  std::map<int64_t, int64_t> from_start;
  std::map<int64_t, int64_t> from_end;
  for (size_t i = 0; i < set.size(); ++i) {
    const auto length = static_cast<int64_t>(set[i].words.size());
    words += set[i].units();
    expected += predictions[i].gated ? predictions[i].expected()
                                     : static_cast<double>(predictions[i].selected());
    if (set[i].is_pair) {
      selected += predictions[i].selected();
      continue;
    }
    for (int64_t t = 0; t < length; ++t) {
      const auto place = static_cast<size_t>(t);
      if (!(predictions[i].z[place] > 0.0f)) continue;
      ++selected;
      ++from_start[t];
      ++from_end[length - t];
      if (place < set[i].tokens.size() && is_punctuation(set[i].tokens[place].in(set[i].text))) {
        ++punctuation;
      }
    }
  }
  const auto all = static_cast<double>(std::max<int64_t>(1, words));
  const double share = static_cast<double>(selected) / all;
  if (std::min(share, expected / all) < kNothing) return Degeneration::Nothing;
  if (share > kEverything || expected / all > kOpen) return Degeneration::Everything;
  if (!set.empty() && set[0].is_pair) return Degeneration::None;
  if (static_cast<double>(punctuation) > kNearlyAll * static_cast<double>(selected)) {
    return Degeneration::Punctuation;
  }
  // With half of each text or more, texts share positions by chance.
  const bool same = share < 0.5 && set.size() > 10 &&
                    (share_of_common_places(from_start, selected, set.size()) > kNearlyAll ||
                     share_of_common_places(from_end, selected, set.size()) > kNearlyAll);
  return same ? Degeneration::Places : Degeneration::None;
}

std::string advice(Degeneration degeneration, const Config& config) {
  const Config::Controller& c = config.controller;
  const std::string start =
      has_gates(config)
          ? fmt::format(
                "raise controller.warmup (now {}) and controller.patience (now {}), lower --lr "
                "(now {}), or try another --seed",
                c.warmup, c.patience, config.train.learning_rate)
          : fmt::format("lower --lr (now {}) or try another --seed", config.train.learning_rate);
  const std::string cost = config.model.kind == ModelKind::Bernoulli
                               ? fmt::format("controller.word_cost (now {})", c.word_cost)
                               : fmt::format("controller.lambda (now {})", c.lambda);
  const std::string everything =
      reads_pairs(config) ? "every cell is open" : "every word is selected";
  switch (degeneration) {
    case Degeneration::None:
      return "";
    case Degeneration::Nothing:
      if (c.name == ControllerKind::Fixed) return "no word is selected any more; lower " + cost;
      if (c.name == ControllerKind::Paper) {
        return "no word is selected any more, and this controller cannot recover; use --controller "
               "default";
      }
      return "almost every gate is closed, so the highlights mean little; " + start;
    case Degeneration::Everything:
      if (config.objective.target > 0.9) return "";
      if (c.name == ControllerKind::Fixed) return everything + "; raise " + cost;
      if (c.name == ControllerKind::Paper) return everything + "; use --controller default";
      return fmt::format(
          "almost every gate is open, so the highlights mean little; raise controller.rho (now {})",
          c.rho);
    case Degeneration::Punctuation:
      return "only punctuation is selected; " + start;
    case Degeneration::Places:
      return "the same positions are selected in every text; " + start;
  }
  return "";
}

}  // namespace hardkuma
