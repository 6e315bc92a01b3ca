#pragma once

#include <atomic>

namespace hardkuma {

/// Called once at the start. Opens descriptors 0 to 2 where they are closed, so that no file of
/// ours gets one of them, and has write() fail, instead of a signal end the program, where a reader
/// went away or a file grew too large.
void prepare_process();

/// From here on Ctrl-C, SIGTERM and a closed terminal set the flag, for a command that saves before
/// it ends; a second Ctrl-C or SIGTERM ends it at once. Under nohup a closed terminal does nothing.
void stop_on_signals(std::atomic<bool>& flag);

}  // namespace hardkuma
