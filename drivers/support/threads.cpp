#include "drivers/support/threads.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "kernels/petsc/base/host_share.hpp"
#include "kernels/petsc/base/ranks.hpp"

namespace quadrille {
namespace {

std::int64_t tasks() {
  std::error_code none;
  return std::distance(std::filesystem::directory_iterator("/proc/self/task", none), {});
}

// The system counts threads a little longer than they can be joined.
void wait_for_tasks(std::int64_t most) {
  for (int ms = 0; ms < 1000 && tasks() > most; ++ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// How many of so many threads can be there at a time, this one among them.
int startable_threads(int wanted) {
  std::mutex mutex;
  std::condition_variable all_started;
  bool done = false;
  const std::int64_t before = tasks();
  std::vector<std::thread> others;
  try {
    while (static_cast<int>(others.size()) + 1 < wanted)
      others.emplace_back([&] {
        std::unique_lock lock(mutex);
        all_started.wait(lock, [&] { return done; });
      });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  {
    const std::lock_guard lock(mutex);
    done = true;
  }
  all_started.notify_all();
  for (std::thread& thread : others) thread.join();
  wait_for_tasks(before);
  return static_cast<int>(others.size()) + 1;
}

}  // namespace

void set_threads(const Options& options) {
  const int wanted =
      options.threads > 0 ? options.threads : std::min(omp_get_max_threads(), petsc::host_share().threads);
  constexpr int spare = 2;  // for libraries, and for other programs of this user
  const int threads = wanted == 1 ? 1 : std::max(1, startable_threads(wanted + spare) - spare);
  omp_set_num_threads(threads);
  if (threads < wanted && petsc::rank_by_environment() == 0)
    std::cerr << "quadrille: note: the system starts " << threads << " of " << wanted
              << " threads (ulimit -u, or a limit of the container)\n";
}

}  // namespace quadrille
