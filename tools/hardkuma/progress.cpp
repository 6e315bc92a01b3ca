#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "hardkuma/common/text.h"
#include "message.h"

namespace hardkuma {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};

}  // namespace

bool colour_terminal(int descriptor) {
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return isatty(descriptor) == 1 && std::getenv("NO_COLOR") == nullptr && !dumb;
}

ProgressBar::ProgressBar(std::string title, bool selects, bool quiet)
    : title_(std::move(title)), selects_(selects), quiet_(quiet) {}

void ProgressBar::on_step(const StepReport& r) {
  const auto now = std::chrono::steady_clock::now();
  if (!line_.shown() || now - last_ < kRedraw) return;
  last_ = now;
  const double done = (static_cast<double>(r.epoch - 1) +
                       static_cast<double>(r.step) / static_cast<double>(r.steps)) /
                      static_cast<double>(r.epochs);
  std::string line = fmt::format("{} {} {}/{}  {:>5.0f} ex/s  loss {:.4f}", title_, bar(done),
                                 r.epoch, r.epochs, r.examples_per_second, r.loss);
  if (selects_) line += fmt::format("  selected {:>5.1f}%  λ {:+.2f}", 100.0 * r.rate, r.lambda);
  line += fmt::format("  ETA {}", short_duration(r.seconds_left));
  line_.draw(line);
}

void ProgressBar::on_epoch(const EpochReport& r) {
  line_.clear();
  if (!r.alarm.empty() && r.alarm != alarm_) {
    message("warning: {}, epoch {}: {}\n", title_, r.epoch, r.alarm);
  }
  alarm_ = r.alarm;
  if (quiet_) return;
  const std::string metric = r.dev.regression
                                 ? fmt::format("MSE {:.4f}", r.dev.metric)
                                 : fmt::format("accuracy {:.1f}%", 100.0 * r.dev.metric);
  std::string line = fmt::format("{} {:>2}/{}  loss {:.4f}  dev {:.4f}  {}", title_, r.epoch,
                                 r.epochs, r.train_loss, r.dev.task_loss, metric);
  if (selects_) {
    line += fmt::format("  selected {:.1f}% (goal {:.1f}%)  λ {:+.2f}",
                        100.0 * r.dev.selected_micro, 100.0 * r.goal, r.lambda);
    if (r.dev.rationale.examples > 0) {
      line += fmt::format("  precision {:.1f}%", 100.0 * r.dev.rationale.precision());
    }
  }
  if (r.chosen) line += "  *";
  message("{}\n", line);
}

}  // namespace hardkuma
