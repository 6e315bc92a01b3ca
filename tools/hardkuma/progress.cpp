#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "hardkuma/common/text.h"
#include "hardkuma/report/table.h"
#include "hardkuma/train/checkpoint_choice.h"
#include "message.h"

namespace hardkuma {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr int kCells = 10;
constexpr int64_t kNarrowest = 7;

// Right-aligned cells, in columns as wide as their titles.
std::string aligned(const std::vector<std::string>& titles, const std::vector<std::string>& cells) {
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    const int64_t width = std::max(kNarrowest, count_code_points(titles[i])) + (i == 0 ? 0 : 2);
    const int64_t missing = width - count_code_points(cells[i]);
    out += std::string(static_cast<size_t>(std::max<int64_t>(0, missing)), ' ') + cells[i];
  }
  return out;
}

}  // namespace

bool colour_terminal(int descriptor) {
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return isatty(descriptor) == 1 && std::getenv("NO_COLOR") == nullptr && !dumb;
}

ProgressBar::ProgressBar(std::string title, Options options)
    : title_(std::move(title)), options_(options) {}

void ProgressBar::on_step(const StepReport& r) {
  const auto now = std::chrono::steady_clock::now();
  if (!line_.shown() || now - last_ < kRedraw) return;
  last_ = now;
  const double done = (static_cast<double>(r.epoch - 1) +
                       static_cast<double>(r.step) / static_cast<double>(r.steps)) /
                      static_cast<double>(r.epochs);
  std::string line =
      fmt::format("{} {} {}/{}  {:>5.0f} texts/s  loss {:.3f}", title_, bar(done, kCells), r.epoch,
                  r.epochs, r.examples_per_second, r.loss);
  if (options_.selects) line += fmt::format("  shown {:.0f}%", 100.0 * r.rate);
  if (options_.selects && options_.verbose) line += fmt::format("  λ {:+.2f}", r.lambda);
  line += fmt::format("  ETA {}", short_duration(r.seconds_left));
  line_.draw(line);
}

std::vector<std::string> ProgressBar::head(const EpochReport& r) const {
  std::vector<std::string> out = {"epoch", "train loss", "dev loss",
                                  r.dev.regression ? "MSE" : "accuracy"};
  if (!options_.selects) return out;
  out.push_back(r.dev.pairs ? "cells shown" : "words shown");
  if (r.dev.rationale.examples > 0) out.push_back("precision");
  if (options_.verbose) out.insert(out.end(), {"goal", "expected", "λ"});
  return out;
}

std::vector<std::string> ProgressBar::row(const EpochReport& r) const {
  std::vector<std::string> out = {
      fmt::format("{}/{}", r.epoch, r.epochs), fmt::format("{:.4f}", r.train_loss),
      fmt::format("{:.4f}", r.dev.task_loss),
      r.dev.regression ? fmt::format("{:.4f}", r.dev.metric) : percent(r.dev.metric)};
  if (!options_.selects) return out;
  out.push_back(percent(r.dev.selected_micro));
  if (r.dev.rationale.examples > 0) out.push_back(percent(r.dev.rationale.precision()));
  if (options_.verbose) {
    out.insert(out.end(),
               {percent(r.goal), percent(r.dev.expected), fmt::format("{:+.2f}", r.lambda)});
  }
  return out;
}

void ProgressBar::on_epoch(const EpochReport& r) {
  line_.clear();
  if (!r.alarm.empty() && r.alarm != alarm_) {
    message("warning: {}, epoch {}: {}\n", title_, r.epoch, r.alarm);
  }
  alarm_ = r.alarm;
  if (options_.quiet) return;
  const std::vector<std::string> titles = head(r);
  if (!std::exchange(begun_, true)) message("{}\n{}\n", title_, aligned(titles, titles));
  const bool near = options_.config == nullptr || on_target(r.dev, *options_.config);
  const char* const remark = !r.chosen ? "" : near ? "  best so far" : "  nearest so far";
  message("{}{}\n", aligned(titles, row(r)), remark);
}

}  // namespace hardkuma
