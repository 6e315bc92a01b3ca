#include "signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace hardkuma {
namespace {

std::atomic<bool>* requested = nullptr;

// The first Ctrl-C or SIGTERM requests a stop, the second exits at once.
void on_interrupt(int) {
  if (requested->exchange(true)) std::_Exit(130);
}

// From a closed terminal or the end of the parent process: a second one does not exit at once.
void on_hangup(int) {
  *requested = true;
}

}  // namespace

void prepare_process() {
  // open() takes the lowest free descriptor. Opened for reading, it makes writes fail.
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = ::open("/dev/null", O_RDONLY);
  if (descriptor >= 0) ::close(descriptor);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void stop_on_signals(std::atomic<bool>& flag) {
  requested = &flag;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  if (std::signal(SIGHUP, on_hangup) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

}  // namespace hardkuma
