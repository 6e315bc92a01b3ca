#include <fmt/format.h>

#include <optional>

#include "hardkuma/common/error.h"
#include "hardkuma/common/file.h"
#include "hardkuma/data/beer.h"
#include "hardkuma/model/config_layers.h"
#include "hardkuma/nn/device.h"
#include "hardkuma/report/table.h"
#include "reproduce.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

struct Aspect {
  const char* name;
  double target;
};
constexpr Aspect kAspects[] = {{"look", 0.13}, {"smell", 0.07}, {"palate", 0.07}};

struct Method {
  std::optional<ModelKind> kind;  // none: only published
  const char* name;
  const char* published[3];  // precision @ selected
};
constexpr Method kMethods[] = {
    {{}, "attention (Lei et al. 2016)", {"80.6 @ 13", "88.4 @ 7", "65.3 @ 7"}},
    {{}, "Bernoulli (Lei et al. 2016)", {"96.3 @ 14", "95.1 @ 7", "80.2 @ 7"}},
    {ModelKind::Attention, "attention", {"–", "–", "–"}},
    {ModelKind::Bernoulli, "Bernoulli", {"94.8 @ 13", "95.1 @ 7", "80.5 @ 7"}},
    {ModelKind::HardKuma, "HardKuma", {"98.1 @ 13", "96.8 @ 7", "89.8 @ 7"}}};

Config beer(const Reproduction& asked) {
  Config config = experiment(asked, "beer");
  // The published batch size; on a CPU the preset's, which is smaller.
  if (choose_device(asked.pool.device).is_cuda()) config.train.batch = 256;
  if (asked.quick) {
    config.model.hidden = 50;
    config.train.epochs = 15;
  }
  return config;
}

// Full-text models of all five scores at once; the RCNN is that of figure 3.
struct FullText {
  std::optional<ModelKind> kind;  // none: not trained for this table
  EncoderKind encoder;
  const char* run;  // name of its runs; "": only published
  const char* name;
  const char* published;
};
constexpr FullText kFullTexts[] = {
    {ModelKind::Svm, EncoderKind::Rcnn, "all-SVM", "SVM", ".0154 (Lei et al. 2016)"},
    {{}, {}, "", "BiLSTM (Lei et al. 2016)", ".0094"},
    {{}, {}, "", "BiRCNN (Lei et al. 2016)", ".0087"},
    {ModelKind::FullText, EncoderKind::Lstm, "all-BiLSTM", "BiLSTM", ".0089"},
    {{}, {}, "full text", "BiRCNN", ".0088"}};

// Results on the annotated reviews, one per seed.
std::vector<Evaluation> measured_as(const std::vector<WantedRun>& runs, const std::string& prefix) {
  std::vector<Evaluation> out;
  for (const WantedRun& run : runs) {
    if (!run.name.starts_with(prefix + " seed ")) continue;
    const auto splits = results_of(run.directory).splits;
    if (splits.contains("test")) out.push_back(splits.at("test"));
  }
  return out;
}

}  // namespace

std::vector<StudySection> reproduce_beer(const Reproduction& asked) {
  const std::string data = data_for(asked, 4000, 500);
  std::vector<std::string> missing;
  const auto there = [&](int aspect, const std::string& name) {
    const bool found = !find_beer_files(data, aspect).train.empty();
    if (!found) missing.push_back("no reviews of " + name + " here");
    return found;
  };
  std::vector<WantedRun> runs;
  const auto want = [&](const std::string& name, Config config) {
    for (int64_t seed = 1; seed <= asked.seeds; ++seed) {
      config.train.seed = seed;
      runs.push_back({fmt::format("{} seed {}", name, seed),
                      asked.out / "runs" / fmt::format("{}-{}", name, seed), effective(config),
                      data});
    }
  };
  for (int a = 0; a < 3; ++a) {
    if (!there(a, kAspects[a].name)) continue;
    for (const Method& method : kMethods) {
      if (!method.kind) continue;
      Config config = beer(asked);
      config.model.kind = *method.kind;
      config.data.aspect = kAspects[a].name;
      config.objective.target = kAspects[a].target;
      want(fmt::format("{}-{}", name_of(*method.kind), kAspects[a].name), config);
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
  const bool all = there(kAllAspects, "all aspects");
  if (all) {
    for (const FullText& full : kFullTexts) {
      if (!full.kind) continue;
      Config config = plan.config;
      config.model.kind = *full.kind;
      config.model.encoder = full.encoder;
      want(full.run, config);
    }
    for (WantedRun& run : planned_runs(plan)) runs.push_back(std::move(run));
  }
  if (runs.empty()) {
    throw InputError("{}: no reviews.aspect0.train.txt.gz or the like; see docs/results.md",
                     asked.data);
  }
  train_or_fail(runs, asked);
  if (!fs::exists(fs::path(data) / "annotations.json")) {
    missing.emplace_back("no annotations.json here, so no precision and no errors on its reviews");
  }
  std::vector<StudySection> out;

  StudySection one{"Table 1: mean squared error on full texts, all aspects"};
  one.rows = {{"", "published", "here"}};
  for (const FullText& full : kFullTexts) {
    std::vector<double> errors;
    for (const Evaluation& e : measured_as(runs, full.run)) errors.push_back(e.metric);
    one.rows.push_back({full.name, full.published, mean_text(errors, 1.0, 4)});
  }
  one.notes = {"Here on the annotated reviews."};
  out.push_back(one);

  StudySection two{"Table 2: precision of the rationales @ selected, in per cent"};
  two.rows = {
      {"", "look, published", "here", "smell, published", "here", "palate, published", "here"}};
  for (const Method& method : kMethods) {
    std::vector<std::string> row = {method.name};
    for (size_t a = 0; a < std::size(kAspects); ++a) {
      std::vector<double> precision;
      std::vector<double> selected;
      const std::string name = method.kind ? name_of(*method.kind) : "";
      for (const Evaluation& e : measured_as(runs, fmt::format("{}-{}", name, kAspects[a].name))) {
        precision.push_back(e.rationale.precision());
        selected.push_back(e.rationale.selected_share());
      }
      row.emplace_back(method.published[a]);
      row.push_back(precision.empty() ? "–"
                                      : fmt::format("{} @ {}", mean_text(precision, 100.0, 1),
                                                    mean_text(selected, 100.0, 1)));
    }
    two.rows.push_back(row);
  }
  two.notes = {
      "Of reviews that are annotated for the aspect; selected is their share of words. The "
      "published models had 80,000 reviews of each aspect."};
  out.push_back(two);

  if (all) {
    std::vector<SweepPoint> points = finished_points(plan);
    for (SweepPoint& point : points) point.measured.rationale = {};  // of no single aspect
    write_file(asked.out / "tradeoff.csv", sweep_csv(points));
    StudySection three{"Figure 3: error of all aspects against the share of words kept"};
    three.rows = sweep_rows(points);
    three.figures = {{"tradeoff.svg", tradeoff_caption(asked),
                      line_chart(tradeoff_chart(points, "Beer: error against words kept"))}};
    three.notes = {"The paper: HardKuma's error is below Bernoulli's at every rate."};
    out.push_back(three);
  }
  out.push_back(how(asked, plan.config, "Gates see those before them, as published."));
  for (const std::string& line : missing) out.back().notes.push_back("Not done: " + line + ".");
  return out;
}

}  // namespace hardkuma
