#include "kernels/petsc/base/session.hpp"

#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
#include <petscsys.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/gpu_ranks.hpp"
#include "kernels/petsc/base/host_share.hpp"
#include "kernels/petsc/base/mpi_start.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/ranks.hpp"

namespace quadrille::petsc {
namespace {

std::string last_message;
bool memory_was_refused = false;

// Keeps the first message of an error instead of printing PETSc's trace. PETSc 3.18's allocators raise, with
// arguments one place off, the line as the code and the caller's name as the message.
PetscErrorCode keep_message(MPI_Comm, int, const char* function, const char*, PetscErrorCode code,
                            PetscErrorType type, const char* message, void*) {
  if (type != PETSC_ERROR_INITIAL) return code;
  last_message = message != nullptr ? message : "";
  const std::string_view raised_by = function != nullptr ? function : "";
  memory_was_refused = raised_by == "PetscMallocAlign" || raised_by == "PetscReallocAlign";
  return code;
}

// A PETSc with CUDA stops where MPI cannot send from GPU memory, unless it is told to send from the host.
// What follows on the command line wins, and so does the environment.
bool must_send_from_host() {
#if defined(PETSC_HAVE_CUDA) && !(defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT)
  const char* const environment = std::getenv("PETSC_OPTIONS");
  return environment == nullptr ||
         std::string_view(environment).find("use_gpu_aware_mpi") == std::string_view::npos;
#else
  return false;
#endif
}

}  // namespace

void check(PetscErrorCode code, const char* call) {
  if (code == 0) return;
  const std::string reason = std::exchange(last_message, {});
  if (std::exchange(memory_was_refused, false))
    throw PetscMemoryError(std::string("not enough memory for PETSc's ") + call + " (" + reason +
                               "); choose a smaller grid or fewer DoF",
                           PETSC_ERR_MEM);
  throw PetscError(std::string("PETSc: ") + call + " failed with code " + std::to_string(code) +
                       (reason.empty() ? "" : ": " + reason),
                   code);
}

void abandon(void* object) {
  static auto* const abandoned = new std::vector<void*>;  // not destroyed at the end, or the look finds leaks
  abandoned->push_back(object);
}

void require_initialised() {
  PetscBool initialised = PETSC_FALSE;
  PetscInitialized(&initialised);
  if (!initialised) throw PetscError("PETSc is not initialised: create a quadrille::petsc::Session first");
}

Session::Session(const std::vector<std::string>& arguments, int first_gpu) {
  PetscBool initialised = PETSC_FALSE;
  PetscInitialized(&initialised);
  if (initialised) return;
  owns_mpi_ = start_mpi();
  words_ = {"quadrille", "-no_signal_handler"};
  if (must_send_from_host()) words_.insert(words_.end(), {"-use_gpu_aware_mpi", "0"});
  if (first_gpu > 0 && has_cuda() && cuda::device_count() > 0)  // else PETSc chooses as gpu_of_rank() does
    words_.insert(words_.end(), {"-device_select_cuda", std::to_string(gpu_of_rank(first_gpu))});
  words_.insert(words_.end(), arguments.begin(), arguments.end());
  for (std::string& word : words_) pointers_.push_back(word.data());
  int count = static_cast<int>(pointers_.size());
  pointers_.push_back(nullptr);
  char** values = pointers_.data();
  PetscPushErrorHandler(keep_message, nullptr);  // before: a bad option is refused while PETSc starts
  try {
    check(PetscInitialize(&count, &values, nullptr, nullptr), "PetscInitialize");
  } catch (const PetscError& error) {
    if (arguments.empty()) throw;
    throw PetscOptionError(std::string(error.what()) +
                           "; correct PETSc's options (of the program quadrille: what follows the bare --)");
  }
  owner_ = true;
  find_host_share();
  verdict(0, nullptr);  // makes what later verdicts need
}

Session::~Session() {
  if (!owner_) return;
  PetscFinalize();  // pops the error handler
  if (owns_mpi_) MPI_Finalize();
}

int gpu_of_rank(int first_gpu) {
  int size = 1, local = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) return first_gpu;
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &local);
  MPI_Comm_free(&host);
  return (first_gpu + local) % std::max(1, cuda::device_count());
}

void require_one_rank() {
  require_initialised();
  if (ranks() > 1)
    throw PetscError(
        "this runs as one process: start it without mpiexec; of quadrille's subcommands, solve runs on "
        "several ranks");
}

std::string halo_path(bool on_gpu) {
  if (on_gpu && ranks() > 1 && gpu_ranks(PETSC_COMM_WORLD) != nullptr) return "direct";
  PetscBool aware = PETSC_TRUE;
  if (on_gpu) QUADRILLE_PETSC(PetscOptionsGetBool(nullptr, nullptr, "-use_gpu_aware_mpi", &aware, nullptr));
  return aware ? "mpi" : "mpi_through_host";
}

std::vector<std::string> unused_options() {
  require_initialised();
  PetscInt count = 0;
  char **names = nullptr, **values = nullptr;
  QUADRILLE_PETSC(PetscOptionsLeftGet(nullptr, &count, &names, &values));
  std::vector<std::string> unused;
  for (PetscInt i = 0; i < count; ++i) unused.push_back(std::string("-") + names[i]);
  QUADRILLE_PETSC(PetscOptionsLeftRestore(nullptr, &count, &names, &values));
  return unused;
}

std::string petsc_version() {
  return std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) + "." +
         std::to_string(PETSC_VERSION_SUBMINOR);
}

bool has_cuda() {
#if defined(PETSC_HAVE_CUDA)
  return true;
#else
  return false;
#endif
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

}  // namespace quadrille::petsc
