#pragma once

#include <atomic>

namespace hardkuma {

/// What holds for every command: descriptors 0 to 2 are open, so that no file of ours gets one of
/// them; a reader that went away and a file that grew too large are errors of write().
void prepare_process();

/// From here on Ctrl-C, SIGTERM and a closed terminal set the flag, for a command that saves before
/// it ends; a second Ctrl-C or SIGTERM ends it at once. Under nohup a closed terminal does nothing.
void stop_on_signals(std::atomic<bool>& flag);

}  // namespace hardkuma
