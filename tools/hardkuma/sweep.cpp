#include "sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hardkuma/common/error.h"
#include "hardkuma/common/text.h"
#include "hardkuma/model/config_layers.h"
#include "hardkuma/report/table.h"

namespace hardkuma {
namespace {

namespace fs = std::filesystem;

constexpr double kMostRuns = 5000.0;

// A run's results on the wanted split; "": on test, or on dev if there is no test.
std::pair<std::string, Evaluation> measured(const fs::path& run, const std::string& wanted = "") {
  const RunResults results = results_of(run);
  const std::string split = wanted.empty() ? results.judged_by() : wanted;
  return {split, results.splits.at(split)};
}

fs::path run_path(const SweepPlan& plan, const std::string& model, double target, int64_t seed) {
  const std::string share = target == 1.0 ? "" : fmt::format("-{:g}", 100.0 * target);
  return plan.out / "runs" / fmt::format("{}{}-{}", model, share, seed);
}

}  // namespace

std::vector<double> parse_targets(const std::string& text) {
  const bool percents = text.find('%') != std::string::npos;
  std::vector<double> out;
  bool go_on = false;
  for (std::string word : comma_separated(text)) {
    if (word == ".." || word == "..." || word == "…") {
      if (out.size() < 2 || go_on) {
        throw UsageError("--targets {}: .. goes on from two numbers, as 5,10,..,100%", text);
      }
      go_on = true;
      continue;
    }
    if (word.ends_with('%')) word.pop_back();
    double value = 0.0;
    if (!parse_number(word, value)) {
      throw UsageError("--targets {}: \"{}\" is not a number; write 5,10,20%", text, word);
    }
    if (go_on) {
      const double first = out.back();
      const double step = first - out[out.size() - 2];
      const double steps = step == 0.0 ? -1.0 : (value - first) / step;
      if (steps < 0.0) {
        throw UsageError("--targets {}: .. does not come from {:g} to {:g}", text, first, value);
      }
      if (steps > 1000.0) throw UsageError("--targets {}: more than 1,000 targets", text);
      // Up to the last but one; the number after the dots is added as it was given.
      for (int i = 1; std::abs(first + i * step - value) > 0.01 * std::abs(step); ++i) {
        if ((value - first - i * step) / step < 0.0) break;
        out.push_back(first + i * step);
      }
      go_on = false;
    }
    out.push_back(value);
  }
  if (go_on) throw UsageError("--targets {}: where does .. end?", text);
  // Rounded as written, so that the 40% of 10,20,..,40% and of 40% are the same number.
  for (double& target : out) {
    target = std::round((percents ? 1e6 : 1e8) * target) / 1e8;
    if (target > 1.0 && !percents) {
      throw UsageError("--targets {}: targets are shares; did you mean {}%?", text, text);
    }
    if (!(target > 0.0 && target <= 1.0)) {
      throw UsageError("--targets {}: above 0% and at most 100%", text);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end(),
                        [](double a, double b) { return std::abs(a - b) < 1e-9; }),
            out.end());
  return out;
}

std::vector<WantedRun> planned_runs(const SweepPlan& plan) {
  const double count = static_cast<double>(plan.seeds) *
                       (1.0 + static_cast<double>(plan.models.size() * plan.targets.size()));
  if (count > kMostRuns) {
    throw UsageError("that is {:.0f} runs, where at most {:.0f} go; fewer targets or seeds", count,
                     kMostRuns);
  }
  std::vector<WantedRun> out;
  for (int64_t i = 0; i < plan.seeds; ++i) {
    const int64_t seed = plan.config.train.seed + i;
    Config full = full_text_of(plan.config);
    full.train.seed = seed;
    out.push_back({fmt::format("full text seed {}", seed),
                   run_path(plan, name_of(full.model.kind), 1.0, seed), full, plan.data});
    for (const std::string& model : plan.models) {
      fs::path higher;
      // In descending order: each may start from the one before.
      for (auto target = plan.targets.rbegin(); target != plan.targets.rend(); ++target) {
        if (*target == 1.0) continue;
        Config config = plan.config;
        set_config(config, "model.kind", model, "--models");
        config.objective.target = *target;
        config.train.full_text = false;
        config.train.seed = seed;
        if (plan.warm_start && !higher.empty()) config.train.start = higher.string();
        config = effective(config);
        const fs::path directory = run_path(plan, model, *target, seed);
        out.push_back({fmt::format("{} {:g}% seed {}", model, 100.0 * *target, seed), directory,
                       config, plan.data, plan.warm_start ? higher : fs::path()});
        higher = directory;
      }
    }
  }
  return out;
}

std::vector<SweepPoint> finished_points(const SweepPlan& plan, const std::string& wanted) {
  std::vector<SweepPoint> out;
  const auto add = [&](const std::string& model, double target, int64_t seed,
                       const std::string& name) {
    const fs::path run = run_path(plan, model, target, seed);
    if (!is_finished(run)) return;
    auto [split, evaluation] = measured(run, wanted);
    out.push_back({name, target, seed, split, evaluation});
  };
  for (const std::string& model : plan.models) {
    for (const double target : plan.targets) {
      if (target == 1.0) continue;
      for (int64_t i = 0; i < plan.seeds; ++i)
        add(model, target, plan.config.train.seed + i, model);
    }
  }
  for (int64_t i = 0; i < plan.seeds; ++i) {
    add(name_of(full_text_of(plan.config).model.kind), 1.0, plan.config.train.seed + i,
        "full text");
  }
  return out;
}

RunResults results_of(const fs::path& run) {
  const std::optional<Manifest> manifest = read_manifest(run);
  if (!manifest || !manifest->results) throw InputError("{}: has no results", run.string());
  return *manifest->results;
}

std::string result_line(const fs::path& run) {
  const auto [split, e] = measured(run);
  return fmt::format("{} with {} of the {}",
                     e.regression ? fmt::format("MSE {:.4g}", e.metric)
                                  : fmt::format("accuracy {}", percent(e.metric)),
                     percent(e.selected_micro), e.pairs ? "cells" : "words");
}

}  // namespace hardkuma
