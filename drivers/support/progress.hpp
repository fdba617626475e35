// What a run is doing, on one line of the terminal.
#pragma once

#include <unistd.h>

#include <iostream>
#include <string>

#include "drivers/support/options.hpp"

namespace quadrille {

// A line that is rewritten in place, on a terminal only.
class Progress {
 public:
  explicit Progress(const Options& options)
      : shown_(options.progress && !options.quiet && isatty(STDERR_FILENO)) {}
  ~Progress() { say(""); }
  void say(const std::string& text) const {
    if (shown_) std::cerr << "\r\033[K" << text << std::flush;
  }

 private:
  bool shown_;
};

}  // namespace quadrille
