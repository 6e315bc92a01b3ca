#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "hardkuma/common/text.h"

namespace hardkuma {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};

size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

bool colour_terminal(int descriptor) {
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return isatty(descriptor) == 1 && std::getenv("NO_COLOR") == nullptr && !dumb;
}

ProgressBar::ProgressBar(std::string title, bool quiet)
    : title_(std::move(title)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  clear();
}

void ProgressBar::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

void ProgressBar::on_step(const StepReport& r) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < kRedraw) return;
  last_ = now;
  const double done = (static_cast<double>(r.epoch - 1) +
                       static_cast<double>(r.step) / static_cast<double>(r.steps)) /
                      static_cast<double>(r.epochs);
  std::string bar;
  for (int i = 0; i < 12; ++i) bar += i < static_cast<int>(done * 12.0 + 0.5) ? "█" : "░";
  std::string line =
      fmt::format("{} {} {}/{}  {:>5.0f} ex/s  loss {:.4f}  selected {:>5.1f}%  λ {:+.2f}  ETA {}",
                  title_, bar, r.epoch, r.epochs, r.examples_per_second, r.loss, 100.0 * r.rate,
                  r.lambda, short_duration(r.seconds_left));
  const size_t width = terminal_width();
  if (count_code_points(line) >= static_cast<int64_t>(width))
    line = quotable(line, static_cast<int64_t>(width) - 2);
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::on_epoch(const EpochReport& r) {
  clear();
  if (quiet_) return;
  std::string line = fmt::format("{} epoch {:>2}/{}  train loss {:.4f}  dev {} {}", title_, r.epoch,
                                 r.epochs, r.train_loss, r.dev.regression ? "MSE" : "accuracy",
                                 r.dev.regression ? fmt::format("{:.4f}", r.dev.metric)
                                                  : fmt::format("{:.1f}%", 100.0 * r.dev.metric));
  line += fmt::format("  loss {:.4f}  selected {:.1f}%  goal {:.1f}%  λ {:+.2f}", r.dev.task_loss,
                      100.0 * r.dev.selected_macro, 100.0 * r.goal, r.lambda);
  if (r.dev.rationale.examples > 0) {
    line += fmt::format("  precision {:.1f}%", 100.0 * r.dev.rationale.precision);
  }
  if (r.chosen) line += "  *";
  fmt::print(stderr, "{}\n", line);
}

}  // namespace hardkuma
