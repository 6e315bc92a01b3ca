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

void handle(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
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
  handle(SIGINT, on_interrupt);
  handle(SIGTERM, on_interrupt);
  handle(SIGHUP, on_hangup);
}

}  // namespace hardkuma
