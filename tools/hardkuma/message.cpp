#include "message.h"

#include <unistd.h>

#include <cerrno>

namespace hardkuma {

void write_message(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t wrote = ::write(STDERR_FILENO, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<size_t>(wrote));
  }
}

}  // namespace hardkuma
