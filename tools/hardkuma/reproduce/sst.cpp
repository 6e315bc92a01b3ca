#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/common/text.h"
#include "hardkuma/data/make_example.h"
#include "hardkuma/data/sst.h"
#include "hardkuma/eval/spread.h"
#include "hardkuma/model/data_options.h"
#include "hardkuma/report/explainer.h"
#include "hardkuma/report/table.h"
#include "hardkuma/train/measured_split.h"
#include "reproduce.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr double kHeadline = 0.4;
constexpr double kHistogram = 0.25;

std::vector<double> metrics(const std::vector<SweepPoint>& points, const std::string& model,
                            double target, bool selected) {
  std::vector<double> out;
  for (const SweepPoint& p : points) {
    if (p.model != model || p.target != target) continue;
    out.push_back(selected ? p.measured.selected_micro : p.measured.metric);
  }
  return out;
}

double mean_of(const std::vector<SweepPoint>& points, const std::string& model, double target) {
  return spread_of(metrics(points, model, target, false)).mean;
}

// The claims of section 6.2, compared with the results.
std::vector<std::string> verdicts(const std::vector<SweepPoint>& points,
                                  const std::vector<double>& targets) {
  std::string not_above;
  std::string reached;
  size_t above = 0;
  const Spread full = spread_of(metrics(points, "full text", 1.0, false));
  const auto add = [](std::string& list, double target) {
    list += fmt::format("{}{:g}%", list.empty() ? "" : ", ", 100.0 * target);
  };
  for (const double target : targets) {
    const double ours = mean_of(points, "hardkuma", target);
    const bool better = ours > mean_of(points, "bernoulli", target);
    above += better ? 1 : 0;
    if (!better) add(not_above, target);
    if (ours >= full.low) add(reached, target);
  }
  std::vector<std::string> out;
  if (full.count < 2) {
    return {
        fmt::format("One seed, so this is no more than a sign: HardKuma is above Bernoulli at {} "
                    "of {} rates. The paper: at every rate, and at the full text from about 40% "
                    "of the words on.",
                    above, targets.size())};
  }
  out.push_back(not_above.empty()
                    ? "HardKuma's mean is above Bernoulli's at every rate, as the paper claims."
                    : fmt::format("HardKuma's mean is above Bernoulli's at {} of {} rates; not at "
                                  "{}. The paper: at every rate.",
                                  above, targets.size(), not_above));
  out.push_back(fmt::format(
      "HardKuma's mean is not below the full text's 95% interval ({} – {}) at {}. The paper: it "
      "reaches the full text at about 40%.",
      percent(full.low), percent(full.high),
      reached.empty() ? "no rate" : "targets of " + reached));
  return out;
}

StudySection headline(const std::vector<SweepPoint>& points) {
  const std::string split = points[0].split;
  StudySection out{"At 40% of the words"};
  out.rows = {{"", "published, dev", "published, test", "here, " + split, "of the words"}};
  const struct {
    const char* name;
    const char* dev;
    const char* test;
    double target;
  } rows[] = {{"full text", "46.3 ± 0.7", "47.4 ± 0.8", 1.0},
              {"hardkuma", "–", "45.84", kHeadline},
              {"bernoulli", "–", "42.22", kHeadline}};
  for (const auto& row : rows) {
    out.rows.push_back({row.name, row.dev, row.test,
                        mean_text(metrics(points, row.name, row.target, false), 100.0, 1),
                        mean_text(metrics(points, row.name, row.target, true), 100.0, 1)});
  }
  if (split == "dev") out.notes.emplace_back("There is no test file here: measured on dev.");
  return out;
}

using Counts = std::array<int64_t, 5>;

// Words by the label of their leaf: all, and those that a model keeps.
struct KeptWords {
  Counts all{};
  Counts kept{};
};

KeptWords count_words(const fs::path& run, const Reproduction& asked, const std::string& data) {
  Explainer explainer(run, 0, asked.pool.device);
  const Config& config = explainer.model().config;
  MeasuredSplit split = choose_split(data, "dev", run.string(), data_options(config));
  RawSplit& raw = split.records;
  std::vector<std::vector<int>> labels;
  LineReader lines(raw.path);
  for (std::string line; lines.next(line);) {
    if (!trim(line).empty()) labels.push_back(sst_word_labels(line, raw.path));
  }
  const std::vector<Example> set =
      make_examples(std::move(raw), config.task, explainer.model().vocabulary);
  const auto predictions = explainer.predict(set);
  KeptWords out;
  for (size_t i = 0; i < set.size(); ++i) {
    if (labels.size() != set.size() || labels[i].size() != set[i].tokens.size()) {
      throw InputError("{}: {}: the words are not those of the trees", data, split.name);
    }
    for (size_t t = 0; t < labels[i].size(); ++t) {
      const auto label = static_cast<size_t>(std::clamp(labels[i][t], 0, 4));
      ++out.all[label];
      if (predictions[i].z[t] > 0.0f) ++out.kept[label];
    }
  }
  return out;
}

StudySection histogram(const std::vector<WantedRun>& runs, const Reproduction& asked,
                       const std::string& data) {
  StudySection out{
      "Figure 5: words kept, by their own sentiment",
      "Words of the dev split, by the label of their leaf of the tree; models at 25%, "
      "first seed. The paper: HardKuma at 24% keeps fewer neutral words than Bernoulli "
      "at 25%."};
  const std::vector<std::string> classes = {"very neg.", "negative", "neutral", "positive",
                                            "very pos."};
  BarChart counts;
  counts.title = "Words in each class";
  counts.y.label = "words";
  counts.groups = classes;
  BarChart shares;
  shares.title = "Share of each class that is kept";
  shares.y.label = "kept";
  shares.y.percent = true;
  shares.groups = classes;
  out.rows = {{"", "very neg.", "negative", "neutral", "positive", "very pos.", "not neutral"}};
  const auto add = [&](const std::string& name, const Counts& words, const Counts& all) {
    std::vector<std::string> row = {name};
    std::vector<double> heights;
    std::vector<double> kept;
    int64_t total = 0;
    for (size_t c = 0; c < words.size(); ++c) {
      row.push_back(with_commas(words[c]));
      heights.push_back(static_cast<double>(words[c]));
      kept.push_back(all[c] == 0 ? 0.0
                                 : static_cast<double>(words[c]) / static_cast<double>(all[c]));
      total += words[c];
    }
    row.push_back(
        total == 0 ? "–"
                   : percent(static_cast<double>(total - words[2]) / static_cast<double>(total)));
    out.rows.push_back(row);
    counts.series.push_back(name);
    counts.values.push_back(heights);
    if (&words == &all) return;
    shares.series.push_back(name);
    shares.values.push_back(kept);
  };
  Counts all{};
  for (const WantedRun& run : runs) {
    const Config& config = run.config;
    if (config.objective.target != kHistogram || !selects_words(config) ||
        config.train.seed != runs[0].config.train.seed)
      continue;
    const KeptWords words = count_words(run.directory, asked, data);
    all = words.all;
    add(name_of(config.model.kind), words.kept, words.all);
  }
  add("all words", all, all);  // last, so that models have the same colours in both
  out.figures = {{"words-kept.svg", "words of each class: all, and what models keep of them",
                  bar_chart(counts)},
                 {"share-kept.svg", "the same as shares of each class", bar_chart(shares)}};
  return out;
}

}  // namespace

std::vector<StudySection> reproduce_sst(const Reproduction& asked) {
  if (!fs::exists(fs::path(asked.data) / "dev.txt") &&
      !fs::exists(fs::path(asked.data) / "dev.txt.gz")) {
    throw InputError("{}: no dev.txt; the experiment needs SST's trees, train.txt and dev.txt",
                     asked.data);
  }
  SweepPlan plan;
  plan.config = experiment(asked, "sst");
  if (asked.quick) plan.config.train.epochs = 10;
  plan.data = data_for(asked, 4000, 100000);
  plan.out = asked.out;
  plan.models = {"hardkuma", "bernoulli"};
  plan.targets = asked.quick
                     ? std::vector<double>{kHistogram, kHeadline}
                     : std::vector<double>{0.05, 0.1, 0.2, kHistogram, 0.3, kHeadline, 0.6, 0.8};
  plan.seeds = asked.seeds;
  const std::vector<WantedRun> runs = planned_runs(plan);
  train_or_fail(runs, asked);
  const std::vector<SweepPoint> points = finished_points(plan, "dev");  // as figure 4
  write_file(asked.out / "tradeoff.csv", sweep_csv(points));
  StudySection curve{"Figure 4: accuracy against the share of words kept"};
  curve.rows = sweep_rows(points);
  curve.figures = {{"tradeoff.svg", tradeoff_caption(asked),
                    line_chart(tradeoff_chart(points, "SST, dev: accuracy against words kept"))}};
  curve.notes = verdicts(points, plan.targets);
  return {headline(finished_points(plan)), curve, histogram(runs, asked, plan.data),
          how(asked, plan.config, "Figures 4 and 5 on dev, as published.")};
}

}  // namespace hardkuma
