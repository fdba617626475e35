#include "drivers/fields/on_signal.hpp"

#include <limits.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace quadrille {
namespace {

constexpr int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2};

// A handler may touch nothing but what is here: lock-free, and there from the start.
struct Slot {
  enum State { unused, filling, filled };
  std::atomic<int> state{unused};
  char path[PATH_MAX] = {};
};
Slot slots[16];
std::atomic<pid_t> child_to_end{0};
std::atomic<bool> pipe_broke{false}, stop{false};
constexpr std::int64_t no_time = -1;
std::atomic<std::int64_t> first_asked_ms{no_time};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

struct sigaction action_of(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  return action;
}

// Several threads may be in here with the same signal: whichever is first has removed everything before the
// process ends.
void tidy_up(int signal) {
  for (const Slot& slot : slots)
    if (slot.state == Slot::filled) unlink(slot.path);
  if (const pid_t child = child_to_end; child > 0) kill(child, signal);
  const struct sigaction by_default = action_of(SIG_DFL);
  sigaction(signal, &by_default, nullptr);
  raise(signal);
}

void note_broken_pipe(int) {
  pipe_broke = true;
}

void take(int signal, void (*handler)(int)) {
  struct sigaction before {};
  const struct sigaction action = action_of(handler);
  if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
    sigaction(signal, &action, nullptr);
}

// Within a second of the first a second signal is the same: timeout(1) sends it to the program and to its
// group.
void ask_to_stop(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ms = std::int64_t{1000} * now.tv_sec + now.tv_nsec / 1000000;
  std::int64_t never = no_time;
  if (first_asked_ms.compare_exchange_strong(never, now_ms)) stop = true;
  if (now_ms - first_asked_ms > 1000) tidy_up(signal);
}

}  // namespace

void stop_on_signals() {
  const struct sigaction action = action_of(ask_to_stop);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

bool stop_requested() {
  return stop;
}

void tidy_up_on_signals() {
  for (const int signal : ending) take(signal, tidy_up);
}

void outlive_broken_pipes() {
  take(SIGPIPE, note_broken_pipe);
}

void end_by_broken_pipe() {
  if (!pipe_broke) return;
  const struct sigaction by_default = action_of(SIG_DFL);
  sigaction(SIGPIPE, &by_default, nullptr);
  raise(SIGPIPE);
}

FileToRemove::FileToRemove(const std::string& path) : slot_(-1) {
  if (path.size() >= PATH_MAX) return;  // no such file can be made
  for (int i = 0; i < static_cast<int>(std::size(slots)); ++i) {
    int free = Slot::unused;
    if (!slots[i].state.compare_exchange_strong(free, Slot::filling)) continue;
    slots[i].path[path.copy(slots[i].path, PATH_MAX - 1)] = '\0';
    slots[i].state = Slot::filled;
    slot_ = i;
    return;
  }
}

FileToRemove::~FileToRemove() {
  if (slot_ >= 0) slots[slot_].state = Slot::unused;
}

ChildToEnd::ChildToEnd(pid_t child) {
  child_to_end = child;
}

ChildToEnd::~ChildToEnd() {
  child_to_end = 0;
}

}  // namespace quadrille
