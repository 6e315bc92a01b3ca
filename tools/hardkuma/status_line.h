#pragma once

#include <cstdint>
#include <string>

namespace hardkuma {

/// Columns of the terminal behind a descriptor; 80 where it does not say.
int64_t terminal_width(int descriptor);

/// One redrawn line on stderr. Does nothing if stderr is not a terminal.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool shown() const { return terminal_; }
  void draw(const std::string& line);  ///< cut to the terminal's width
  void clear();

 private:
  bool terminal_;
  bool drawn_ = false;
};

/// "████░░░░", with this many cells.
std::string bar(double done, int cells = 12);

}  // namespace hardkuma
