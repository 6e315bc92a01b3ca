#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace hardkuma::test {

/// Runs `f` in a process of its own, for what would change this one for good (limits, users). True
/// if it returned true; false if it did not, threw, or crashed.
template <typename F>
bool in_child(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    bool good = false;
    try {
      good = f();
    } catch (...) {
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

}  // namespace hardkuma::test
