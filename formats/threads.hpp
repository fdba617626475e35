// How many threads of OpenMP a loop gets.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace quadrille {

// One for every 128 KiB that are moved: what a core streams in the time that starting and joining another
// thread takes.
inline int threads_worth(std::int64_t bytes) {
  return static_cast<int>(std::clamp<std::int64_t>(bytes >> 17, 1, 1 << 16));
}

// Elements of a loop from which on a second thread pays, where an element takes some ten nanoseconds: waking it
// takes ten microseconds, and many times that where other work has its core.
inline constexpr std::int64_t worth_threads = 4096;

// While it lives, parallel loops that this thread starts have at most so many threads.
class ThreadLimit {
 public:
  explicit ThreadLimit(int most) : before_(omp_get_max_threads()) {
    if (most < before_) omp_set_num_threads(most);
  }
  ~ThreadLimit() { omp_set_num_threads(before_); }
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int before_;
};

}  // namespace quadrille
