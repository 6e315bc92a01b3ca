#include <fmt/format.h>

#include <algorithm>

#include "hardkuma/data/make_example.h"
#include "hardkuma/model/config_layers.h"
#include "hardkuma/model/data_options.h"
#include "hardkuma/report/alignment.h"
#include "hardkuma/report/explainer.h"
#include "hardkuma/report/table.h"
#include "hardkuma/train/measured_split.h"
#include "reproduce.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr double kTarget = 0.1;
constexpr size_t kMostWords = 12;  // of each text of a pair that is drawn

struct Row {
  ModelKind kind;
  const char* name;
  const char* published;
};
constexpr Row kRows[] = {{ModelKind::PairLstm, "LSTM", "– / 80.6"},
                         {ModelKind::PairAttention, "DA", "86.9 / 86.5"},
                         {ModelKind::PairHardKuma, "DA with HardKuma attention", "86.0 / 85.5"}};

// For each relation the first pair that is predicted correctly, and the first that is not.
std::vector<StudySection::Figure> heat_maps(const fs::path& run, const Reproduction& asked,
                                            const std::string& data) {
  Explainer explainer(run, 0, asked.pool.device);
  const Config& config = explainer.model().config;
  MeasuredSplit split = choose_split(data, "", run.string(), data_options(config));
  const std::vector<Example> set =
      make_examples(std::move(split.records), config.task, explainer.model().vocabulary);
  const auto predictions = explainer.predict(set);
  std::vector<StudySection::Figure> out;
  for (size_t label = 0; label < config.task.labels.size(); ++label) {
    for (const bool right : {true, false}) {
      for (size_t i = 0; i < set.size(); ++i) {
        const Example& pair = set[i];
        if (static_cast<size_t>(pair.target) != label || pair.tokens.size() > kMostWords ||
            pair.second.tokens.size() > kMostWords)
          continue;
        const Explanation explained = explain(pair, predictions[i], config.task);
        const std::string truth = config.task.labels[label];
        if ((explained.label == truth) != right) continue;
        out.push_back({fmt::format("{}-{}.svg", truth, right ? "right" : "wrong"),
                       right ? truth + ", predicted so"
                             : fmt::format("{}, predicted {}", truth, explained.label),
                       heat_map(explained)});
        break;
      }
    }
  }
  return out;
}

}  // namespace

std::vector<StudySection> reproduce_snli(const Reproduction& asked) {
  const std::string data = data_for(asked, 20000, 5000);
  std::vector<WantedRun> runs;
  for (const Row& row : kRows) {
    for (int64_t seed = 1; seed <= asked.seeds; ++seed) {
      Config config = experiment(asked, "snli");
      config.model.kind = row.kind;
      config.objective.target = kTarget;
      config.train.seed = seed;
      if (asked.quick) config.train.epochs = 10;
      const std::string kind = name_of(row.kind);
      runs.push_back({fmt::format("{} seed {}", kind, seed),
                      asked.out / "runs" / fmt::format("{}-{}", kind, seed), effective(config),
                      data});
    }
  }
  train_or_fail(runs, asked);
  StudySection table{"Table 3: accuracy"};
  table.rows = {{"", "published, dev / test", "here, dev", "here, test", "cells not zero"}};
  for (const Row& row : kRows) {
    std::vector<double> dev;
    std::vector<double> test;
    std::vector<double> cells;
    for (const WantedRun& run : runs) {
      if (run.config.model.kind != row.kind) continue;
      for (const auto& [split, e] : results_of(run.directory).splits) {
        (split == "dev" ? dev : test).push_back(e.metric);
        if (split == "dev") cells.push_back(e.selected_micro);
      }
    }
    table.rows.push_back(
        {row.name, row.published, mean_text(dev, 100.0, 1),
         test.empty() ? "–" : mean_text(test, 100.0, 1),
         row.kind == ModelKind::PairHardKuma ? mean_text(cells, 100.0, 1) + "%" : "–"});
  }
  table.notes = {
      "Published: 8.5% of the cells not zero for a target of 10%, with 550,000 pairs to train on "
      "and 300-dimensional vectors. The LSTM there is Bowman et al.'s (2016); DA as first "
      "published "
      "(Parikh et al. 2016) – / 86.3."};
  StudySection maps{"Attention between the words of a pair",
                    "Rows the premise, columns the hypothesis, values in hundredths, zeros blank: "
                    "for each relation one pair that is classified correctly and one that is not."};
  const auto seen = std::find_if(runs.begin(), runs.end(), [](const WantedRun& run) {
    return run.config.model.kind == ModelKind::PairHardKuma;
  });
  maps.figures = heat_maps(seen->directory, asked, data);
  const size_t wanted = 2 * load_model(seen->directory).config.task.labels.size();
  if (maps.figures.size() < wanted) {
    maps.notes = {fmt::format("{} of {} are missing: no such pair of at most {} words a side.",
                              wanted - maps.figures.size(), wanted, kMostWords)};
  }
  return {table, maps, how(asked, runs[0].config, "Target of the share of cells: 10%.")};
}

}  // namespace hardkuma
