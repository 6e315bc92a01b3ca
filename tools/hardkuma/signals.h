#pragma once

#include <atomic>

namespace hardkuma {

/// Called once at the start. Opens descriptors 0 to 2 if they are closed, so that no file of ours
/// gets one of them. If a pipe's reader closes it or a file grows too large, write() fails instead
/// of a signal ending the program.
void prepare_process();

/// From here on Ctrl-C, SIGTERM and a closed terminal set the flag, for a command that saves before
/// it exits; a second Ctrl-C or SIGTERM exits at once. Under nohup a closed terminal does nothing.
void stop_on_signals(std::atomic<bool>& flag);

}  // namespace hardkuma
