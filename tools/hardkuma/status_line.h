#pragma once

#include <string>

namespace hardkuma {

/// One line on stderr that is drawn over and over, where stderr is a terminal; elsewhere nothing.
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

/// "████░░░░", of so many cells.
std::string bar(double done, int cells = 12);

}  // namespace hardkuma
