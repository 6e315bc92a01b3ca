#include "status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "hardkuma/common/text.h"
#include "message.h"

namespace hardkuma {

int64_t terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() {
  clear();
}

void StatusLine::draw(const std::string& line) {
  if (!terminal_) return;
  const int64_t width = terminal_width(STDERR_FILENO);
  const bool fits = count_code_points(line) < width;
  message("\r\x1b[K{}", fits ? line : quotable(line, width - 2));
  drawn_ = true;
}

void StatusLine::clear() {
  if (drawn_) message("\r\x1b[K");
  drawn_ = false;
}

std::string bar(double done, int cells) {
  std::string out;
  for (int i = 0; i < cells; ++i) out += i < static_cast<int>(done * cells + 0.5) ? "█" : "░";
  return out;
}

}  // namespace hardkuma
