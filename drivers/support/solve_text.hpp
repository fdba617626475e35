// Numbers in sentences, and seconds: what the two ways of `solve` tell with.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace quadrille {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// By std::snprintf(), at most 255 characters.
template <class... Numbers>
std::string formatted(const char* format, Numbers... numbers) {
  char text[256];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

}  // namespace quadrille
