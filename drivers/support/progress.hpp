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
  explicit Progress(const Options& options, bool wanted = true)
      : shown_(wanted && options.progress && !options.quiet && isatty(STDERR_FILENO)) {}
  ~Progress() { say(""); }
  void say(const std::string& text) const {
    if (shown_) std::cerr << "\r\033[K" << (text.empty() ? "" : place_) << text << std::flush;
  }
  // What every later line begins with.
  void set_place(const std::string& place) { place_ = place; }

 private:
  std::string place_;
  bool shown_;
};

}  // namespace quadrille
