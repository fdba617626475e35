// How many threads of OpenMP a loop gets.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace quadrille {

// One for every 128 KiB that are moved: what a core streams in the time that starting and joining another
// thread takes.
inline int threads_worth(std::int64_t bytes) {
  return static_cast<int>(std::clamp<std::int64_t>(bytes >> 17, 1, 1 << 16));
}

// Elements of a loop from which on a second thread pays, where an element takes some ten nanoseconds: waking
// it takes ten microseconds, and many times that where other work has its core.
inline constexpr std::int64_t worth_threads = 4096;

// What body(part, i) adds to parts, one of each thread, which are in the order of their i.
template <class Part, class Body>
std::vector<Part> in_parts(std::int64_t count, const Body& body) {
  const int most = count > worth_threads ? omp_get_max_threads() : 1;
  std::vector<Part> parts(static_cast<std::size_t>(most));
  std::exception_ptr failed;
#pragma omp parallel num_threads(most)
  {
    const std::int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
    Part part;  // apart from those of other threads
    try {
      for (std::int64_t i = count * thread / threads; i < count * (thread + 1) / threads; ++i) body(part, i);
    } catch (...) {
#pragma omp critical(quadrille_in_parts)
      failed = std::current_exception();
    }
    parts[static_cast<std::size_t>(thread)] = std::move(part);
  }
  if (failed) std::rethrow_exception(failed);
  return parts;
}

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
