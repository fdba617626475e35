#include "kernels/petsc/base/mpi_start.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/session.hpp"

namespace quadrille::petsc {
namespace {

// Open MPI in containers and as root; a user's setting wins.
void quiet_open_mpi() {
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);
  if (geteuid() == 0) {
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
  }
}

bool has_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMIX_NAMESPACE", "PMI_RANK", "PMI_SIZE",
                           "PMI_FD", "PMI_PORT", "ALPS_APP_PE"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

// A variable of the environment for a while; not for other programs that are started later.
class Variable {
 public:
  Variable(const char* name, const char* value, bool wins) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    if (wins || !before_) setenv(name, value, 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// What MPI uses while it starts, with room to spare: with fewer it ends the process in several ways.
void require_descriptors() {
  constexpr std::size_t needed = 16;
  std::vector<int> opened;
  while (opened.size() < needed) {
    const int descriptor = fcntl(2, F_DUPFD_CLOEXEC, 3);
    if (descriptor < 0) break;
    opened.push_back(descriptor);
  }
  const bool too_few = opened.size() < needed && errno == EMFILE;
  for (const int descriptor : opened) close(descriptor);
  if (too_few)
    throw PetscError("MPI opens up to " + std::to_string(needed) +
                     " files while it starts, and this process may open " + std::to_string(opened.size()) +
                     " more; raise `ulimit -n`");
}

// For what ends the process while MPI starts.
int kept_stderr = -1, messages = -1;
volatile std::sig_atomic_t starting = 0;

void write_all(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t done = write(kept_stderr, text, size);
    if (done <= 0) return;
    text += done;
    size -= static_cast<std::size_t>(done);
  }
}

// Nothing here but what a signal handler may do.
void end_in_a_sentence() {
  if (!starting) return;
  starting = 0;
  static char text[4096];
  constexpr char begin[] = "quadrille: MPI could not start on this machine: ";
  write_all(begin, sizeof begin - 1);
  const ssize_t size = messages < 0 ? 0 : pread(messages, text, sizeof text, 0);
  // The first line with words in it, without the frames of hyphens.
  ssize_t first = 0, last = 0;
  for (ssize_t i = 0; i < size && last == 0; ++i) {
    if (text[i] == '\n') first = i + 1;
    if ((text[i] | 32) < 'a' || (text[i] | 32) > 'z') continue;
    for (last = i; last < size && last < first + 300 && text[last] != '\n';) ++last;
  }
  for (ssize_t i = first; i < last; ++i)
    if (text[i] < 0x20) text[i] = ' ';
  if (last > first) write_all(text + first, static_cast<std::size_t>(last - first));
  constexpr char none[] = "it ended the process without a word";
  if (last <= first) write_all(none, sizeof none - 1);
  write_all("\n", 1);
  _exit(3);
}

void on_signal(int) {
  end_in_a_sentence();
}

// While it lives, what goes to standard error is kept, and who ends the process says one sentence. What MPI
// says in a start that succeeds is of networks that a process by itself does not use.
class Watched {
 public:
  Watched() {
    static const int registered = std::atexit(end_in_a_sentence);
    (void)registered;
    messages = memfd_create("mpi", MFD_CLOEXEC);
    kept_stderr = fcntl(2, F_DUPFD_CLOEXEC, 3);
    if (messages >= 0 && kept_stderr >= 0) dup2(messages, 2);
    starting = 1;
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
  }
  ~Watched() {
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
    starting = 0;
    if (kept_stderr >= 0) dup2(kept_stderr, 2);
    for (int* descriptor : {&messages, &kept_stderr}) {
      if (*descriptor >= 0) close(*descriptor);
      *descriptor = -1;
    }
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  static constexpr std::array<int, 3> signals{SIGSEGV, SIGBUS, SIGABRT};
  std::array<struct sigaction, 3> before_{};
};

void initialise() {
  int provided = 0;
  const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (code != MPI_SUCCESS)
    throw PetscError("MPI could not start: MPI_Init_thread failed with code " + std::to_string(code));
}

}  // namespace

void explain_end_of_start() {
  end_in_a_sentence();
}

bool start_mpi() {
  int started = 0;
  MPI_Initialized(&started);
  if (started) return false;
  quiet_open_mpi();
  if (has_launcher()) {
    initialise();
    return true;
  }
  require_descriptors();
  // Processes without the daemon all have one name, so they must not meet in shared memory: whatever networks
  // the user lists for runs on several ranks, a process by itself needs `self`.
  const Variable alone("OMPI_MCA_ess_singleton_isolated", "1", false),
      no_folder("OMPI_MCA_orte_create_session_dirs", "0", false), messaging("OMPI_MCA_pml", "ob1", false),
      network("OMPI_MCA_btl", "self", true);
  // To place ranks Open MPI has hwloc look at the machine, whose plugins ask OpenCL and other drivers for
  // GPUs: 0.2 s of a process that has nothing to place.
  const Variable topology("HWLOC_COMPONENTS", "-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero", false);
  const Watched watched;
  initialise();
  return true;
}

}  // namespace quadrille::petsc
