#include "signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace hardkuma {
namespace {

std::atomic<bool>* requested = nullptr;

// The first Ctrl-C asks, the second insists.
void on_interrupt(int) {
  if (requested->exchange(true)) std::_Exit(130);
}

// A terminal that is closed, or the program that started this one: to ask twice is not to insist.
void on_hangup(int) {
  *requested = true;
}

}  // namespace

void prepare_process() {
  // The lowest free descriptor is taken each time. Writing to one that is open for reading fails.
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
