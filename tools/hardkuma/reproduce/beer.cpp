#include <fmt/format.h>

#include "hardkuma/common/file.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/report/table.h"
#include "reproduce.h"

namespace hardkuma {
namespace {

struct Aspect {
  const char* name;
  double target;
};
constexpr Aspect kAspects[] = {{"look", 0.13}, {"smell", 0.07}, {"palate", 0.07}};

struct Method {
  const char* kind;
  const char* name;
  const char* published[3];  // precision @ selected
};
constexpr Method kMethods[] = {{"attention", "attention", {"80.6 @ 13", "88.4 @ 7", "65.3 @ 7"}},
                               {"bernoulli", "Bernoulli", {"94.8 @ 13", "95.1 @ 7", "80.5 @ 7"}},
                               {"hardkuma", "HardKuma", {"98.1 @ 13", "96.8 @ 7", "89.8 @ 7"}}};

Config beer(const Reproduction& asked) {
  Config config = experiment(asked, "beer");
  // As published; on a processor the preset's smaller batches.
  if (choose_device(asked.pool.device).is_cuda()) config.train.batch = 256;
  if (asked.quick) {
    config.model.hidden = 50;
    config.train.epochs = 15;
  }
  return config;
}

// Full texts, all five scores at once.
struct FullText {
  const char* kind;
  const char* encoder;
  const char* name;
  const char* published;
};
constexpr FullText kFullTexts[] = {{"svm", "rcnn", "SVM", ".0154"},
                                   {"full-text", "lstm", "BiLSTM", ".0089"},
                                   {"full-text", "rcnn", "BiRCNN", ".0088"}};

std::vector<Evaluation> measured_as(const std::vector<WantedRun>& runs, const std::string& prefix) {
  std::vector<Evaluation> out;
  for (const WantedRun& run : runs) {
    if (!run.name.starts_with(prefix + " ")) continue;
    for (const auto& [part, e] : measured_parts(run.directory)) {
      if (part == "test") out.push_back(e);
    }
  }
  return out;
}

}  // namespace

std::vector<StudySection> reproduce_beer(const Reproduction& asked) {
  const std::string data = data_for(asked, 4000, 500);
  std::vector<WantedRun> runs;
  const auto want = [&](const std::string& name, Config config, int64_t seed) {
    config.train.seed = seed;
    validate(config);
    runs.push_back({fmt::format("{} seed {}", name, seed),
                    asked.out / "runs" / fmt::format("{}-{}", name, seed), config, data});
  };
  for (int64_t seed = 1; seed <= asked.seeds; ++seed) {
    for (const Aspect& aspect : kAspects) {
      for (const Method& method : kMethods) {
        Config config = beer(asked);
        config.model.kind = method.kind;
        config.data.aspect = aspect.name;
        config.objective.target = aspect.target;
        want(fmt::format("{}-{}", method.kind, aspect.name), config, seed);
      }
    }
    for (const FullText& full : kFullTexts) {
      Config config = beer(asked);
      config.model.kind = full.kind;
      config.model.encoder = full.encoder;
      config.data.aspect = "all";
      want(fmt::format("all-{}", full.name), config, seed);
    }
  }
  SweepPlan plan;
  plan.config = beer(asked);
  plan.config.data.aspect = "all";
  plan.data = data;
  plan.out = asked.out;
  plan.models = {"hardkuma", "bernoulli"};
  plan.targets =
      asked.quick ? std::vector<double>{0.1, 0.4} : std::vector<double>{0.05, 0.1, 0.2, 0.4, 0.6};
  plan.seeds = asked.seeds;
  std::vector<WantedRun> all = runs;
  for (WantedRun& run : planned_runs(plan)) all.push_back(std::move(run));
  train_or_fail(all, asked);

  StudySection one{"Table 1: mean squared error on full texts, all aspects"};
  one.rows = {{"", "published", "here"}};
  for (const FullText& full : kFullTexts) {
    std::vector<double> errors;
    for (const Evaluation& e : measured_as(runs, fmt::format("all-{}", full.name))) {
      errors.push_back(e.metric);
    }
    one.rows.push_back({full.name, full.published, mean_text(errors, 1.0, 4)});
  }
  one.notes = {"On the annotated reviews. The SVM's published error is Lei et al.'s (2016)."};

  StudySection two{"Table 2: precision of the rationales @ selected, in per cent"};
  two.rows = {
      {"", "look, published", "here", "smell, published", "here", "palate, published", "here"}};
  for (const Method& method : kMethods) {
    std::vector<std::string> row = {method.name};
    for (size_t a = 0; a < std::size(kAspects); ++a) {
      std::vector<double> precision;
      std::vector<double> selected;
      for (const Evaluation& e :
           measured_as(runs, fmt::format("{}-{}", method.kind, kAspects[a].name))) {
        precision.push_back(e.rationale.precision());
        selected.push_back(e.rationale.selected_share());
      }
      row.push_back(method.published[a]);
      row.push_back(
          fmt::format("{} @ {}", mean_text(precision, 100.0, 1), mean_text(selected, 100.0, 1)));
    }
    two.rows.push_back(row);
  }
  two.notes = {
      "Of reviews that are annotated for the aspect; selected is their share of words. The "
      "published models had 80,000 reviews of each aspect."};

  std::vector<SweepPoint> points = finished_points(plan);
  for (SweepPoint& point : points) point.measured.rationale = {};  // of any aspect: says little
  write_file(asked.out / "tradeoff.csv", sweep_csv(points));
  StudySection three{"Figure 3: error of all aspects against the share of words kept"};
  three.rows = sweep_rows(points);
  three.figures = {{"tradeoff.svg", "means over seeds with 95% intervals; across, the full text's",
                    line_chart(tradeoff_chart(points, "Beer: error against words kept"))}};
  return {one, two, three};
}

}  // namespace hardkuma
